#include "certify/certifier.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "certify/certify.h"
#include "certify/checker.h"

namespace foretrace {
namespace {

// What the trace itself shows gets its schedule written out up to this.
constexpr uint64_t kLongestPrefix = 10'000;

// The candidates of one error: places in the list.
using Group = std::vector<size_t>;

std::vector<Group> grouped(const std::vector<Candidate>& candidates) {
  std::vector<Group> groups;
  std::map<std::pair<std::string, uint64_t>, size_t> numbers;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    if (candidate.group == 0) {
      groups.push_back({i});
      continue;
    }
    const auto [entry, fresh] =
        numbers.try_emplace({candidate.analysis, candidate.group}, groups.size());
    if (fresh) groups.emplace_back();
    groups[entry->second].push_back(i);
  }
  return groups;
}

bool is_decidable(const Candidate& candidate) {
  return candidate.kind == "data-race" || candidate.kind == "deadlock" ||
         !candidate.order.empty() || candidate.other_read;
}

Goal goal_of(const Candidate& candidate) {
  Goal goal;
  goal.ordered = candidate.order;
  if (candidate.other_read) {
    goal.other_read = {candidate.other_read->read, candidate.other_read->challenger};
  } else if (candidate.order.empty()) {
    for (const CandidateEvent& event : candidate.events) goal.next.push_back(event.index);
  }
  return goal;
}

// The schedule may put the writer elsewhere than the analysis thought.
void correct_order(Candidate& candidate, const Trace& trace, const Schedule& schedule) {
  const std::optional<uint64_t> writer = candidate.other_read->writer;
  const bool overwritten =
      !writer || *writer < schedule.until_of(trace.events[*writer].thread) ||
      std::find(schedule.then.begin(), schedule.then.end(), *writer) != schedule.then.end();
  if (overwritten) {
    candidate.detail["order"] = "w-c-r";
  } else if (candidate.detail["order"] == "w-c-r") {
    candidate.detail["order"] = "c-r";
  }
}

// What deciding needs to know about the trace.
struct Kernel {
  explicit Kernel(const Trace& trace) : model(trace), checker(trace) {}
  Model model;
  ScheduleChecker checker;
};

class Certifier {
 public:
  Certifier(const Trace& trace, std::vector<Candidate>& candidates, const CertifierOptions& options)
      : trace_(trace),
        candidates_(candidates),
        options_(options),
        groups_(grouped(candidates)),
        kept_(candidates.size()),
        schedules_(candidates.size()) {}

  std::map<std::string, Decisions> run() {
    const auto is_open = [this](const Group& group) { return !is_settled(group.front()); };
    if (std::any_of(groups_.begin(), groups_.end(), is_open)) kernel_.emplace(trace_);
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const unsigned wanted = options_.workers == 0 ? cores : options_.workers;
    const auto count = static_cast<unsigned>(std::min<size_t>(wanted, groups_.size()));
    std::vector<std::thread> workers;
    for (unsigned i = 1; i < count; ++i) workers.emplace_back([this] { work(false); });
    work(true);
    for (std::thread& worker : workers) worker.join();
    write_schedules();

    std::vector<Candidate> kept;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (kept_[i] != 0) kept.push_back(std::move(candidates_[i]));
    }
    candidates_ = std::move(kept);
    return decisions_;
  }

 private:
  void work(bool shows_progress) {
    for (;;) {
      const size_t number = next_.fetch_add(1);
      if (number >= groups_.size()) return;
      decide_group(groups_[number]);
      const size_t done = done_.fetch_add(1) + 1;
      if (shows_progress && options_.progress && !options_.progress(done, groups_.size())) {
        stopped_ = true;
      }
    }
  }

  // It needs no decision.
  bool is_settled(size_t place) const {
    return candidates_[place].strength != Strength::predicted || !is_decidable(candidates_[place]);
  }

  // The first of the group that can be shown. Groups share no candidate, so each
  // worker changes only its own.
  void decide_group(const Group& group) {
    bool undecided = false;
    uint64_t budget = options_.budget;
    for (const size_t i : group) {
      Candidate& candidate = candidates_[i];
      if (is_settled(i)) {
        if (candidate.strength == Strength::observed) add_prefix(candidate);
        kept_[i] = 1;
        return;
      }
      const Verdict verdict = decide_one(i, budget);
      if (verdict == Verdict::feasible) {
        kept_[i] = 1;
        return count(candidate.analysis, &Decisions::certified);
      }
      undecided |= verdict == Verdict::undecided;
    }
    Candidate& first = candidates_[group.front()];
    first.detail["certify"] = undecided ? "undecided" : "infeasible";
    kept_[group.front()] = first.only_if_certified ? 0 : 1;
    count(first.analysis, undecided ? &Decisions::undecided : &Decisions::infeasible);
  }

  // The trace itself shows the error: its beginning is the schedule.
  void add_prefix(Candidate& candidate) const {
    if (candidate.witness) return;
    if (!candidate.order.empty()) {
      uint64_t last = 0;
      for (const auto& [first, second] : candidate.order) last = std::max({last, first, second});
      if (last < kLongestPrefix) candidate.witness = beginning(last + 1);
    } else if (candidate.kind == "data-race" && candidate.events[0].index <= kLongestPrefix) {
      candidate.witness = beginning(candidate.events[0].index);
      for (const CandidateEvent& event : candidate.events) {
        candidate.witness->push_back(event.index);
      }
    }
  }

  std::vector<uint64_t> beginning(uint64_t length) const {
    std::vector<uint64_t> schedule;
    for (uint64_t i = 0; i < length; ++i) {
      if (trace_.events[i].op() != Op::skip) schedule.push_back(i);
    }
    return schedule;
  }

  void count(const std::string& analysis, uint64_t Decisions::* what) {
    const std::lock_guard lock(mutex_);
    ++(decisions_[analysis].*what);
  }

  // Takes what it costs off the budget.
  Verdict decide_one(size_t place, uint64_t& budget) {
    Candidate& candidate = candidates_[place];
    if (stopped_) return Verdict::undecided;
    const Goal goal = goal_of(candidate);
    Certificate certificate = certify(kernel_->model, goal, budget);
    budget -= std::min(budget, certificate.steps);
    if (certificate.verdict != Verdict::feasible) return certificate.verdict;
    Schedule& schedule = certificate.schedule;
    Result<void> checked;
    if (!goal.ordered.empty()) {
      checked = kernel_->checker.check_ordered(schedule, goal.ordered);
    } else if (candidate.other_read) {
      checked = kernel_->checker.check_other_read(schedule, candidate.other_read->challenger);
      correct_order(candidate, trace_, schedule);
    } else if (candidate.kind == "deadlock") {
      checked = kernel_->checker.check_deadlock(schedule, goal.next);
    } else {
      schedule.then.insert(schedule.then.end(), goal.next.begin(), goal.next.end());
      checked = kernel_->checker.check_race(schedule);
    }
    // The search would be wrong: say nothing rather than something false.
    if (!checked) return Verdict::undecided;
    candidate.strength = Strength::certified;
    schedules_[place] = std::move(schedule);
    return Verdict::feasible;
  }

  void write_schedules() {
    std::vector<std::pair<uint64_t, size_t>> by_length;
    for (size_t i = 0; i < schedules_.size(); ++i) {
      if (schedules_[i]) by_length.emplace_back(length_of(kernel_->model, *schedules_[i]), i);
    }
    std::sort(by_length.begin(), by_length.end());
    uint64_t written = 0;
    for (const auto& [length, i] : by_length) {
      written += length;
      if (length <= options_.longest_schedule && written <= options_.all_schedules) {
        candidates_[i].witness = written_out(kernel_->model, *schedules_[i]);
      } else {
        candidates_[i].detail["schedule"] = in_short(*schedules_[i]);
      }
      schedules_[i].reset();
    }
  }

  // The last event of each thread in what comes first, and what comes then.
  nlohmann::ordered_json in_short(const Schedule& schedule) const {
    nlohmann::ordered_json first = nlohmann::ordered_json::object();
    for (ThreadId thread = 0; thread < schedule.until.size(); ++thread) {
      if (schedule.until[thread] == 0) continue;
      first[std::string(trace_.symbols->thread(thread))] = schedule.until[thread] - 1;
    }
    return {{"first", std::move(first)}, {"then", schedule.then}};
  }

  const Trace& trace_;
  std::optional<Kernel> kernel_;  // none if nothing has to be decided
  std::vector<Candidate>& candidates_;
  const CertifierOptions& options_;
  const std::vector<Group> groups_;
  std::vector<char> kept_;                          // not bool: workers write neighbouring ones
  std::vector<std::optional<Schedule>> schedules_;  // of candidates, as soon as certified
  std::atomic<size_t> next_{0};
  std::atomic<size_t> done_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::map<std::string, Decisions> decisions_;  // guarded by mutex_
};

}  // namespace

std::map<std::string, Decisions> decide(const Trace& trace, std::vector<Candidate>& candidates,
                                        const CertifierOptions& options) {
  if (candidates.empty()) return {};
  return Certifier(trace, candidates, options).run();
}

}  // namespace foretrace
