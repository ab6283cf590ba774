#include "hunting/reproduce.h"

#include "base/interrupt.h"
#include "base/text.h"
#include "hunting/known_findings.h"

namespace foretrace {

Reproduction::Reproduction(ReproduceOptions options, Finding finding, const Trace& trace)
    : options_(std::move(options)),
      finding_(std::move(finding)),
      script_(make_script(finding_, trace)) {}

SteerSettings Reproduction::settings_for(const Variant& variant, uint64_t attempt) const {
  SteerSettings settings;
  settings.seed = options_.seed + attempt;
  settings.hold_ms = options_.hold_ms * variant.hold;
  settings.learn = true;
  if (variant.noise) settings.noise = {"random", "sleep", 300, 50, false};
  std::vector<SteerStep> steps;
  if (variant.schedule) steps = script_.schedule;
  steps.insert(steps.end(), script_.ending.begin(), script_.ending.end());
  if (!variant.threads) {
    for (SteerStep& step : steps) step.thread = "-";
  }
  settings.steps = named_steps(steps, names_);
  return settings;
}

bool Reproduction::is_shown(const SteeredRun& run, const SteerSettings& settings,
                            Finding& observed) {
  for (const RawEntry& entry : run.report.entries) {
    if (!entry.is_error()) continue;
    const Finding seen = resolver_.finding(entry);
    if (!is_same_error(finding_, seen)) continue;
    observed = finding_;
    observed.events = seen.events;
    observed.strength = Strength::observed;
    return true;
  }
  // An order was observed if each of its steps came in its turn.
  if (!script_.is_ordered || run.report.steps_left_out > 0 ||
      run.report.steps < settings.steps.size()) {
    return false;
  }
  observed = finding_;
  observed.strength = Strength::observed;
  return true;
}

void Reproduction::note(const SteeredRun& run, const SteerSettings& settings) {
  ++ends_[run.result.text()];
  for (const RawEntry& entry : run.report.entries) {
    if (entry.kind != RawEntry::Kind::step || entry.step >= settings.steps.size()) continue;
    const size_t first_of_ending = settings.steps.size() - script_.ending.size();
    if (entry.step < first_of_ending) continue;
    const std::string& place = script_.ending[entry.step - first_of_ending].place;
    (entry.missed ? missed_ : reached_).insert(place);
  }
  names_.learn(run.report, resolver_);
}

std::string Reproduction::why_not() const {
  std::string text;
  std::vector<std::string> absent;
  for (const SteerStep& step : script_.ending) {
    if (!reached_.contains(step.place) && !missed_.contains(step.place)) {
      absent.push_back(step.place);
    }
  }
  if (script_.ending.empty()) {
    text = "the finding has no places that threads could be held at";
  } else if (!absent.empty()) {
    text =
        fmt::format("no thread came to {} where the schedule wants one", fmt::join(absent, " or "));
  } else {
    text =
        "threads came to all its places, but never in that order or at the same time: one was "
        "held until time was up while the other did not come (--hold makes that longer), so "
        "something keeps them apart that the trace does not show, or the input differs";
  }
  std::vector<std::string> ends;
  for (const auto& [end, count] : ends_) ends.push_back(fmt::format("{} ({})", end, count));
  return fmt::format("{}; the runs ended with: {}", text, fmt::join(ends, ", "));
}

Result<ReproduceResult> Reproduction::run() {
  static const std::vector<Variant> kVariants = {
      {"the schedule", true, true, 1, false},
      {"the schedule, holding longer", true, true, 4, false},
      {"only its last events", false, true, 2, false},
      {"only its last events, by any threads", false, false, 2, false},
      {"only its last events, by any threads, with noise", false, false, 1, true},
      {"the schedule, by any threads", true, false, 2, false},
  };
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  ReproduceResult result;
  for (uint64_t attempt = 0; attempt < options_.tries && !interrupted(); ++attempt) {
    const Variant& variant = kVariants[attempt % kVariants.size()];
    const SteerSettings settings = settings_for(variant, attempt);
    const Result<SteeredRun> run = run_steered(options_.program, settings, **folder, "run");
    if (!run) return tl::unexpected(run.error());
    if (run->result.end == RunResult::End::interrupted) break;
    ++result.tries;
    if (is_shown(*run, settings, result.finding)) {
      result.observed = true;
      result.settings = settings;
      result.how = variant.name;
      result.program_end = run->result.text();
      return result;
    }
    note(*run, settings);
  }
  result.finding = finding_;
  result.why_not = why_not();
  return result;
}

}  // namespace foretrace
