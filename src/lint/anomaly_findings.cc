// The analysis of high-level anomalies: options, and findings in the words of the program.
#include <algorithm>

#include <fmt/format.h>

#include "lint/analysis.h"
#include "lint/anomalies.h"
#include "lint/configuration.h"

namespace foretrace::lint {
namespace {

// "transfer (bank.cpp:12:5)" or, for a block, "the block at bank.cpp:12:5".
std::string part_text(const Program& program, const Blocks& blocks, UnitId unit,
                      const BlockPart& part) {
  const Place place = blocks.place(unit, part.node);
  const std::string site = to_string(program.op(place).position);
  if (part.callee == kNothing) return "the block at " + site;
  const Function& callee = *program.context(blocks.context(part.callee)).function;
  return fmt::format("{} (called at {})", callee.name, site);
}

class Reporter {
 public:
  Reporter(const Program& program, const Blocks& blocks) : program_(program), blocks_(blocks) {}

  LintFinding report(const Anomaly& anomaly) const {
    LintFinding made;
    Finding& finding = made.finding;
    finding.analysis = "lint";
    finding.kind = anomaly.rules.front();
    finding.variable = program_.text(anomaly.first.location);
    add_event(anomaly.first, anomaly.unit, &anomaly.pair.first, made);
    for (const Anomaly::Use& use : anomaly.between) {
      add_event(use, anomaly.other.unit, nullptr, made);
    }
    add_event(anomaly.second, anomaly.unit, &anomaly.pair.second, made);
    name_roles(anomaly, finding);
    const Function& function = blamed(anomaly);
    finding.labels = {function.name};
    finding.message = message(anomaly, function);
    finding.reason = reason(anomaly);
    finding.detail = detail(anomaly, function);
    made.weight = weight(anomaly);
    return made;
  }

 private:
  const Function& blamed(const Anomaly& anomaly) const {
    return *program_.context(blocks_.context(anomaly.unit)).function;
  }

  void add_event(const Anomaly::Use& use, UnitId unit, const BlockPart* part,
                 LintFinding& made) const {
    const Place place = blocks_.access(use.block, use.location, use.write);
    made.finding.events.push_back(
        event_at(program_, place, program_.text(use.location), use.write));
    const bool in_block = part != nullptr && place.context == blocks_.context(part->block.unit);
    made.calls.push_back(in_block ? calls_in_pair(unit, *part) : calls_to(program_, place.context));
  }

  // The calls by which the pair comes to the block, not just any that do.
  std::vector<Place> calls_in_pair(UnitId unit, const BlockPart& part) const {
    std::vector<Place> calls;
    for (const ChainLink& link : blocks_.succession().chain(unit, part)) {
      calls.push_back(blocks_.place(link.unit, link.call));
    }
    std::reverse(calls.begin(), calls.end());
    const std::vector<Place> above = calls_to(program_, blocks_.context(unit));
    calls.insert(calls.end(), above.begin(), above.end());
    return calls;
  }

  // The surer, and the more is known of the objects, the worse.
  int weight(const Anomaly& anomaly) const {
    const bool told = told_apart(program_, anomaly.first.location) &&
                      told_apart(program_, anomaly.second.location);
    return 8 * static_cast<int>(anomaly.confidence) + 2 * static_cast<int>(anomaly.flow) +
           (told ? 1 : 0);
  }

  static void name_roles(const Anomaly& anomaly, Finding& finding) {
    finding.events.front().role = "in the first block";
    finding.events.back().role = "in the second block";
    for (size_t i = 1; i + 1 < finding.events.size(); ++i) {
      finding.events[i].role = "another thread, in between";
    }
    if (anomaly.flow == FlowKind::data) finding.events.back().role += ", with the older value";
  }

  std::string message(const Anomaly& anomaly, const Function& function) const {
    const std::string first = part_text(program_, blocks_, anomaly.unit, anomaly.pair.first);
    const std::string second = part_text(program_, blocks_, anomaly.unit, anomaly.pair.second);
    const std::string variable = program_.text(anomaly.first.location);
    const std::string target = program_.text(anomaly.second.location);
    const auto verb = [](const Anomaly::Use& use) { return use.write ? "written" : "read"; };
    return fmt::format(
        "{} is {} in {} and {} {} in {}, but another thread can come in between: {} should do "
        "both in one atomic block",
        variable, verb(anomaly.first), first, variable == target ? "then" : target + " then",
        verb(anomaly.second), second, function.name);
  }

  static std::string reason(const Anomaly& anomaly) {
    switch (anomaly.flow) {
      case FlowKind::data:
        return "The value that the first block read reaches the second block, which does not look "
               "again.";
      case FlowKind::guard:
        return "What the first block read decides whether the second block runs.";
      case FlowKind::none:
        break;
    }
    return "The accesses fit the pattern; no value was seen to pass from the first block to the "
           "second.";
  }

  nlohmann::ordered_json detail(const Anomaly& anomaly, const Function& function) const {
    const Position blame =
        program_.op(blocks_.place(anomaly.unit, anomaly.pair.second.node)).position;
    const Position start =
        program_.op(blocks_.place(anomaly.unit, anomaly.pair.first.node)).position;
    const auto block = [&](const BlockRef& one) {
      return to_string(
          program_.op({blocks_.context(one.unit), blocks_.region(one).acquire}).position);
    };
    return {
        {"pattern", anomaly.rules.front()},
        {"patterns", anomaly.rules},
        {"confidence", name_of(anomaly.confidence)},
        {"flow", anomaly.flow == FlowKind::data    ? "data"
                 : anomaly.flow == FlowKind::guard ? "guard"
                                                   : "none"},
        {"blame",
         {{"function", function.name}, {"first", to_string(start)}, {"site", to_string(blame)}}},
        {"blocks",
         {block(anomaly.pair.first.block), block(anomaly.other), block(anomaly.pair.second.block)}},
        {"around_loop", anomaly.pair.around_loop}};
  }

  const Program& program_;
  const Blocks& blocks_;
};

Result<std::vector<LintRule>> rules(const LintOptions& options) {
  const Result<Configuration> configuration = read_configuration(options);
  if (!configuration) return tl::unexpected(configuration.error());
  std::vector<LintRule> result;
  for (const PatternRule& rule : configuration->patterns.all()) {
    result.push_back({rule.name, rule.summary, rule.by_default});
  }
  return result;
}

Result<std::vector<LintFinding>> run(const Program& program, const LintOptions& options) {
  const Result<Configuration> configuration = read_configuration(options);
  if (!configuration) return tl::unexpected(configuration.error());
  std::vector<PatternRule> chosen;
  for (const PatternRule& rule : configuration->patterns.all()) {
    if (wanted(options, {rule.name, rule.summary, rule.by_default})) chosen.push_back(rule);
  }
  std::vector<LintFinding> findings;
  if (chosen.empty()) return findings;
  Shapes shapes;
  const ContextEffects effects(program, configuration->models);
  const Blocks blocks(program, effects, shapes);
  // What the finder knows is forgotten before findings take its place in memory.
  const std::vector<Anomaly> anomalies =
      AnomalyFinder(program, effects, shapes, blocks, std::move(chosen), configuration->confidence)
          .run();
  const Reporter reporter(program, blocks);
  for (const Anomaly& anomaly : anomalies) findings.push_back(reporter.report(anomaly));
  std::stable_sort(findings.begin(), findings.end(),
                   [](const LintFinding& a, const LintFinding& b) {
                     return a.finding.events.back().site < b.finding.events.back().site;
                   });
  return findings;
}

const LintRegistration registration({"anomalies",
                                     "blocks that follow each other and should have been one",
                                     rules, run});

}  // namespace
}  // namespace foretrace::lint
