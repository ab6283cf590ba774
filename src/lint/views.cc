// View consistency (Artho, Havelund, Biere; section 4.2.2 of paper 004). The view of a
// block is what it accesses. A view of one thread that is in no other view of it is a
// maximal one: what its programmer treats as belonging together. Of another thread, the
// parts of a maximal view that its blocks access must form a chain: if one block
// accesses x and another y, and none both, it takes apart what belongs together.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lint/analysis.h"
#include "lint/blocks.h"
#include "lint/configuration.h"
#include "lint/overlaps.h"

namespace foretrace::lint {
namespace {

const LintRule kRule = {"view-consistency",
                        "variables that one thread treats together and another does not", false};

using View = std::set<LocationId>;

struct ViewBlock {
  BlockRef block;
  View view;
};

class Views {
 public:
  Views(const Program& program, const Blocks& blocks) : program_(program), blocks_(blocks) {
    for (const BlockRef& block : blocks.outermost()) {
      View view;
      for (const auto& [location, effect] : blocks.effects(block)) view.insert(location);
      if (!view.empty()) by_thread_[blocks.thread(block)].push_back({block, std::move(view)});
    }
  }

  std::vector<LintFinding> run() {
    for (const auto& [owner, all] : by_thread_) {
      for (const ViewBlock& maximal : maximal_of(all)) {
        if (maximal.view.size() < 2) continue;
        for (const auto& [thread, views] : by_thread_) {
          if (thread != owner || program_.threads()[thread].many) check(maximal, views);
        }
      }
    }
    std::vector<LintFinding> findings;
    for (auto& [key, finding] : found_) findings.push_back(std::move(finding));
    return findings;
  }

 private:
  static std::vector<ViewBlock> maximal_of(const std::vector<ViewBlock>& all) {
    std::vector<ViewBlock> result;
    for (const ViewBlock& one : all) {
      const bool inside_other = std::any_of(all.begin(), all.end(), [&](const ViewBlock& other) {
        return other.view.size() > one.view.size() &&
               std::includes(other.view.begin(), other.view.end(), one.view.begin(),
                             one.view.end());
      });
      const bool known = std::any_of(result.begin(), result.end(), [&](const ViewBlock& other) {
        return other.view == one.view;
      });
      if (!inside_other && !known) result.push_back(one);
    }
    return result;
  }

  // The part of the maximal view that a block accesses.
  View part(const View& maximal, const View& view) const {
    View common;
    for (const LocationId location : maximal) {
      if (std::any_of(view.begin(), view.end(), [&](LocationId other) {
            return overlap(program_.all_locations(), location, other);
          })) {
        common.insert(location);
      }
    }
    return common;
  }

  Place begin(const BlockRef& block) const {
    return {blocks_.context(block.unit), blocks_.region(block).acquire};
  }

  void check(const ViewBlock& maximal, const std::vector<ViewBlock>& views) {
    std::vector<std::pair<const ViewBlock*, View>> parts;
    for (const ViewBlock& view : views) {
      View common = part(maximal.view, view.view);
      if (!common.empty() && program_.parallel(begin(maximal.block), begin(view.block))) {
        parts.emplace_back(&view, std::move(common));
      }
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      for (size_t j = i + 1; j < parts.size(); ++j) {
        const auto& [one, a] = parts[i];
        const auto& [other, b] = parts[j];
        if (!std::includes(a.begin(), a.end(), b.begin(), b.end()) &&
            !std::includes(b.begin(), b.end(), a.begin(), a.end())) {
          report(maximal, *one, a, *other, b);
        }
      }
    }
  }

  void add_event(const BlockRef& block, LocationId wanted, const char* role,
                 LintFinding& made) const {
    for (const auto& [location, effect] : blocks_.effects(block)) {
      if (!overlap(program_.all_locations(), location, wanted)) continue;
      const Place place = blocks_.access(block, location, !effect.read);
      made.finding.events.push_back(
          event_at(program_, place, program_.text(location), !effect.read));
      made.finding.events.back().role = role;
      made.calls.push_back(calls_to(program_, place.context));
      return;
    }
  }

  void report(const ViewBlock& maximal, const ViewBlock& one, const View& a, const ViewBlock& other,
              const View& b) {
    const auto only = [](const View& x, const View& y) {
      return *std::find_if(x.begin(), x.end(), [&](LocationId id) { return !y.contains(id); });
    };
    const LocationId first = only(a, b);
    const LocationId second = only(b, a);
    const auto position = [&](const BlockRef& block) { return program_.op(begin(block)).position; };
    const auto key = std::minmax(position(one.block), position(other.block));
    if (key.first == key.second || found_.contains(key)) return;
    LintFinding made;
    Finding& finding = made.finding;
    finding.analysis = "lint";
    finding.kind = kRule.name;
    finding.variable = program_.text(first);
    add_event(one.block, first, "in one block", made);
    add_event(maximal.block, first, "together, in another thread", made);
    add_event(maximal.block, second, "together, in another thread", made);
    add_event(other.block, second, "in another block", made);
    finding.message = fmt::format(
        "{} and {} are accessed in one block at {}, but in blocks of their own at {} and {}",
        program_.text(first), program_.text(second), to_string(position(maximal.block)),
        to_string(position(one.block)), to_string(position(other.block)));
    finding.reason =
        "What one thread treats as belonging together, another thread takes apart: it may see, or "
        "leave, a state in which they do not fit.";
    finding.detail = {{"view", nlohmann::ordered_json::array()}};
    for (const LocationId location : maximal.view) {
      finding.detail["view"].push_back(program_.text(location));
    }
    found_.emplace(key, std::move(made));
  }

  const Program& program_;
  const Blocks& blocks_;
  std::map<ThreadIndex, std::vector<ViewBlock>> by_thread_;
  std::map<std::pair<Position, Position>, LintFinding> found_;
};

Result<std::vector<LintRule>> rules(const LintOptions&) { return std::vector<LintRule>{kRule}; }

Result<std::vector<LintFinding>> run(const Program& program, const LintOptions& options) {
  if (!wanted(options, kRule)) return std::vector<LintFinding>();
  const Result<Configuration> configuration = read_configuration(options);
  if (!configuration) return tl::unexpected(configuration.error());
  Shapes shapes;
  const ContextEffects effects(program, configuration->models);
  const Blocks blocks(program, effects, shapes);
  return Views(program, blocks).run();
}

const LintRegistration registration({"views", "view consistency", rules, run});

}  // namespace
}  // namespace foretrace::lint
