#include "hunting/hunt.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/interrupt.h"
#include "base/text.h"
#include "hunting/oracle.h"

namespace foretrace {
namespace {

// The heuristics of paper 003 in a few strengths, and ours.
const std::vector<NoiseSetting> kSettings = {
    {},
    {"random", "sleep", 1000, 50, false},
    {"random", "sleep", 500, 150, true},
    {"random", "yield", 50, 300, true},
    {"random", "spin", 100, 200, true},
    {"variable", "sleep", 1000, 500, false},
    {"location", "sleep", 1000, 750, false},
    {"directed", "sleep", 1000, 700, false},
    {"priority", "sleep", 300, 1000, false},
};

double seconds_now() {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  return now.count();
}

bool needs_targets(const NoiseSetting& setting) {
  return setting.heuristic == "variable" || setting.heuristic == "location" ||
         setting.heuristic == "directed";
}

}  // namespace

Hunt::Hunt(HuntOptions options, KnownFindings known, std::function<void(const std::string&)> say)
    : options_(std::move(options)),
      say_(std::move(say)),
      known_(std::move(known)),
      targets_(known_),
      random_(options_.seed) {
  if (options_.noise) {
    if (needs_targets(*options_.noise)) rows_.push_back({.setting = {}});  // to learn of places
    rows_.push_back({.setting = *options_.noise});
  } else {
    for (const NoiseSetting& setting : kSettings) rows_.push_back({.setting = setting});
  }
}

Result<HuntResult> Hunt::run() {
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  start_ = seconds_now();
  std::vector<std::thread> workers;
  for (uint64_t i = 0; i < std::max<uint64_t>(1, options_.jobs); ++i) {
    workers.emplace_back([&] { work(**folder); });
  }
  for (std::thread& worker : workers) worker.join();
  if (error_) return tl::unexpected(*error_);
  result_.seconds = seconds_now() - start_;
  for (auto& [id, seen] : seen_) {
    seen.finding.detail["runs"] = seen.runs;
    result_.findings.push_back(std::move(seen.finding));
  }
  // As they were found.
  std::stable_sort(result_.findings.begin(), result_.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return a.detail["run"].get<uint64_t>() < b.detail["run"].get<uint64_t>();
                   });
  assign_ids(result_.findings);
  for (const SettingResult& row : rows_) {
    if (row.runs > 0) result_.settings.push_back(row);
  }
  result_.locations = locations_.size();
  return std::move(result_);
}

void Hunt::work(const RunFolder& folder) {
  while (const std::optional<Task> task = next_task()) {
    SteeredProgram program = options_.program;
    {
      // A run that takes far longer than any good one hangs.
      const std::lock_guard guard(mutex_);
      if (longest_good_ > 0) {
        program.seconds = std::min(program.seconds, std::max(10.0, 5 + 20 * longest_good_));
      }
    }
    const Result<SteeredRun> run =
        run_steered(program, task->settings, folder, fmt::format("run-{}", task->number));
    if (!run) {
      const std::lock_guard guard(mutex_);
      if (!error_) error_ = run.error();
      stopping_ = true;
      return;
    }
    take(*task, *run, is_good_run(*run, options_.oracle));
    std::error_code ignored;
    for (const std::string& path : {run->settings_path, run->output_path, run->errors_path}) {
      std::filesystem::remove(path, ignored);
    }
  }
}

std::optional<Hunt::Task> Hunt::next_task() {
  const std::lock_guard guard(mutex_);
  if (interrupted() && !stopping_) stop("interrupted");
  if (options_.minutes > 0 && seconds_now() - start_ > options_.minutes * 60) stopping_ = true;
  if (stopping_ || next_ >= options_.runs) return std::nullopt;
  Task task;
  task.number = next_++;
  task.setting = choose_setting();
  task.settings.seed = options_.seed + task.number;
  task.settings.noise = rows_[task.setting].setting;
  task.settings.hold_ms = options_.hold_ms;
  const bool has_sections = !options_.sections.empty();
  task.settings.learn = !options_.noise || needs_targets(*options_.noise) || has_sections;
  if (has_sections) task.settings.sections = section_places_.text(options_.sections);
  task.settings.check_sections = has_sections;
  targets_.choose(task.settings, random_);
  ++rows_[task.setting].runs;
  return task;
}

bool Hunt::is_usable(const NoiseSetting& setting) const {
  return !needs_targets(setting) || !targets_.empty();
}

// What a run of it brings, by the second; something new counts most.
double Hunt::score(const SettingResult& row) const {
  const auto runs = static_cast<double>(row.runs);
  const double gain =
      10 * static_cast<double>(row.fresh + row.failed) + static_cast<double>(row.locations);
  return gain / (row.seconds + 0.05 * runs + 0.01);
}

// Each once, then mostly the best; now and then another. As long as nothing was found, none
// is better: the one that had the fewest runs.
size_t Hunt::choose_setting() {
  std::vector<size_t> usable;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!is_usable(rows_[i].setting)) continue;
    if (rows_[i].runs == 0) return i;
    usable.push_back(i);
  }
  if (options_.noise && usable.size() > 1) return usable.back();
  std::uniform_real_distribution<double> share(0, 1);
  if (share(random_) < 0.4) {
    return usable[std::uniform_int_distribution<size_t>(0, usable.size() - 1)(random_)];
  }
  return *std::max_element(usable.begin(), usable.end(), [&](size_t a, size_t b) {
    return std::pair(score(rows_[a]), rows_[b].runs) < std::pair(score(rows_[b]), rows_[a].runs);
  });
}

void Hunt::take(const Task& task, const SteeredRun& run, const Result<bool>& good) {
  const std::lock_guard guard(mutex_);
  if (!good) {
    if (!error_) error_ = good.error();
    stopping_ = true;
    return;
  }
  if (run.result.end == RunResult::End::interrupted) {
    if (!stopping_) stop("interrupted");
    return;
  }
  ++result_.runs;
  result_.accesses += run.report.accesses;
  result_.threads = std::max(result_.threads, run.report.threads);
  result_.left_behind += run.result.left_behind > 0 ? 1 : 0;
  result_.noise_spent += run.report.spent > 0 ? 1 : 0;
  result_.unwatched += run.report.unwatched;
  result_.lost += run.report.lost;
  result_.instrumented |=
      run.report.accesses > 0 || run.report.atomics || !run.report.entries.empty();
  SettingResult& row = rows_[task.setting];
  row.races += run.report.races;
  row.seconds += run.result.seconds;
  targets_.learn(run.report, resolver_);
  if (!options_.sections.empty()) section_places_.learn(run.report, resolver_);
  take_findings(task, run, row);
  if (*good) {
    longest_good_ = std::max(longest_good_, run.result.seconds);
  } else {
    take_failure(task, run, row);
  }
  if (known_.all_observed()) {
    stop(fmt::format("all that was known was observed ({})",
                     counted(known_.all().size(), "finding")));
  }
}

void Hunt::take_findings(const Task& task, const SteeredRun& run, SettingResult& row) {
  std::set<std::string> locations;
  bool is_new = false;
  for (const RawEntry& entry : run.report.entries) {
    if (!entry.is_error()) continue;
    Finding finding = resolver_.finding(entry);
    locations.insert(finding.variable.value_or(finding.lock.value_or("")));
    targets_.praise(entry);
    const std::string id = common_id(finding);
    const auto [seen, first_time] = seen_.try_emplace(id);
    ++seen->second.runs;
    if (!first_time) continue;
    is_new = true;
    ++row.fresh;
    finding.detail["run"] = task.number;
    finding.detail["seed"] = task.settings.seed;
    finding.detail["noise"] = task.settings.noise.name();
    const std::vector<std::string> known = known_.note(finding);
    if (!known.empty()) finding.detail["observes"] = known;
    say_(fmt::format("run {}, {}: {} on {}{}", task.number, task.settings.noise.name(),
                     finding.kind, finding.variable.value_or(finding.lock.value_or("?")),
                     known.empty() ? "" : fmt::format(" (this is {})", fmt::join(known, ", "))));
    seen->second.finding = std::move(finding);
    if (options_.first) stop("the first finding was observed");
  }
  row.locations += locations.size();
  locations_.merge(locations);
  if (!is_new) targets_.blame(task.settings);
}

void Hunt::take_failure(const Task& task, const SteeredRun& run, SettingResult& row) {
  ++row.failed;
  FailedRun failed = {
      task.number,       task.settings.seed,     task.settings.noise.name(),
      run.result.text(), kept_folder(task, run), run.result.end == RunResult::End::timed_out};
  if (run.result.good()) failed.what = "the oracle says that it is bad";
  say_(fmt::format("run {}, {}: {}{}", task.number, failed.setting, failed.what,
                   failed.folder.empty() ? "" : "; kept in " + failed.folder));
  result_.failed.push_back(std::move(failed));
  if (options_.first) stop("the first run failed");
}

// The settings without the name of the report, which is gone.
std::string Hunt::kept_folder(const Task& task, const SteeredRun& run) const {
  if (options_.keep.empty()) return {};
  const std::filesystem::path folder =
      std::filesystem::path(options_.keep) / fmt::format("run-{:04}", task.number);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto overwrite = std::filesystem::copy_options::overwrite_existing;
  if (!error) std::filesystem::copy_file(run.output_path, folder / "stdout", overwrite, error);
  if (!error) std::filesystem::copy_file(run.errors_path, folder / "stderr", overwrite, error);
  if (error || !write_text((folder / "settings.steer").string(), task.settings.text("")) ||
      !write_text((folder / "verdict").string(), run.result.text() + "\n")) {
    say_(fmt::format("run {} could not be kept in {}", task.number, folder.string()));
    return {};
  }
  return folder.string();
}

void Hunt::stop(const std::string& why) {
  if (result_.stopped.empty()) result_.stopped = why;
  stopping_ = true;
}

}  // namespace foretrace
