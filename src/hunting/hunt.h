// Hunting: the program is run again and again with changing noise, until its
// errors show.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "hunting/known_findings.h"
#include "hunting/section_places.h"
#include "hunting/steered_run.h"
#include "hunting/targets.h"

namespace foretrace {

struct HuntOptions {
  SteeredProgram program;
  uint64_t runs = 100;
  double minutes = 0;  // 0: no limit but the runs
  uint64_t jobs = 1;
  uint64_t seed = 1;
  std::optional<NoiseSetting> noise;  // nothing: all of them, the best more often
  uint64_t hold_ms = 100;
  std::string oracle;                   // a command; empty: the exit status is 0
  std::string keep;                     // where runs that failed go
  bool first = false;                   // stop at the first finding or failed run
  std::vector<AtomicSection> sections;  // to be checked as well
};

// What came of one setting: a row of the paper's Table 2.
struct SettingResult {
  NoiseSetting setting;
  uint64_t runs = 0;
  uint64_t races = 0;      // times that two threads were caught
  uint64_t locations = 0;  // distinct ones, summed over runs
  uint64_t fresh = 0;      // findings that it was the first to show
  uint64_t failed = 0;
  double seconds = 0;
};

struct FailedRun {
  uint64_t number = 0;
  uint64_t seed = 0;
  std::string setting;
  std::string what;    // how it ended
  std::string folder;  // where it was kept
  bool hung = false;
};

struct HuntResult {
  std::vector<Finding> findings;
  std::vector<SettingResult> settings;
  std::vector<FailedRun> failed;
  uint64_t runs = 0;
  uint64_t accesses = 0;
  uint64_t threads = 0;       // the most in a run
  uint64_t locations = 0;     // that were in a finding
  uint64_t left_behind = 0;   // runs that left processes behind, which were ended
  uint64_t noise_spent = 0;   // runs in which a thread's noise was used up
  uint64_t unwatched = 0;     // threads that found no place
  uint64_t lost = 0;          // what found no place in reports
  bool instrumented = false;  // whether any hook was seen
  double seconds = 0;
  std::string stopped;  // why, if before the end
};

class Hunt {
 public:
  // `say` is told, in one sentence, of everything that is new.
  Hunt(HuntOptions options, KnownFindings known, std::function<void(const std::string&)> say);
  Result<HuntResult> run();
  const KnownFindings& known() const { return known_; }

 private:
  struct Task {
    uint64_t number = 0;
    size_t setting = 0;
    SteerSettings settings;
  };
  struct Seen {
    Finding finding;
    uint64_t runs = 0;
    uint64_t first = 0;
  };

  void work(const RunFolder& folder);
  std::optional<Task> next_task();
  size_t choose_setting();
  bool is_usable(const NoiseSetting& setting) const;
  double score(const SettingResult& result) const;
  void take(const Task& task, const SteeredRun& run, const Result<bool>& good);
  void take_findings(const Task& task, const SteeredRun& run, SettingResult& row);
  void take_failure(const Task& task, const SteeredRun& run, SettingResult& row);
  std::string kept_folder(const Task& task, const SteeredRun& run) const;
  void stop(const std::string& why);

  HuntOptions options_;
  std::function<void(const std::string&)> say_;
  double start_ = 0;

  std::mutex mutex_;  // guards all below
  KnownFindings known_;
  Targets targets_;
  PlaceResolver resolver_;
  SectionPlaces section_places_;
  std::mt19937_64 random_;
  std::vector<SettingResult> rows_;
  std::map<std::string, Seen> seen_;  // by id
  std::set<std::string> locations_;
  HuntResult result_;
  uint64_t next_ = 0;
  double longest_good_ = 0;
  bool stopping_ = false;
  std::optional<Error> error_;
};

}  // namespace foretrace
