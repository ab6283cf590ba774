// Deadlocks: cycles of acquires, each by another thread, each waiting for a lock
// that the next thread holds; certify decides whether they can all wait at once.
#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_set>
#include <vector>

#include "analyses/analysis.h"
#include "analyses/deadlock/lock_requests.h"
#include "base/table.h"
#include "base/text.h"
#include "order/lockset.h"

namespace foretrace::deadlock {
namespace {

constexpr std::string_view kName = "deadlock";
// Of acquires that look the same, this many are kept; and of the ways to choose
// one for each request of a cycle, this many are tried.
constexpr size_t kKeptPerRequest = 16;
constexpr size_t kKeptPerCycle = kKeptPerRequest * kKeptPerRequest;
// The search for cycles takes at most this many steps for each candidate that it
// may propose.
constexpr uint64_t kStepsPerCandidate = 1000;

constexpr AnalysisOption kMaxCyclesOption = {
    "max-cycles", "N", "100k", "Stop looking for deadlocks after N candidates, and say so"};

class Deadlock : public Analysis {
 public:
  explicit Deadlock(AnalysisContext context)
      : context_(std::move(context)),
        max_candidates_(context_.settings.count(kMaxCyclesOption)),
        held_(locksets_) {}

  void process(const EventBatch& batch) override {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      if (event.op() == Op::skip) continue;
      if (event.resumes != 0) held_.resume(event);
      if (is_access(event.op())) continue;
      if (event.op() == Op::acq || event.op() == Op::racq) request(batch.first_index + i, event);
      held_.advance(event);
    }
  }

  void finish() override {
    requests_ = all_requests_.in_question(locksets_);
    for (size_t i = 0; i < requests_.size(); ++i) {
      left_out_ += requests_[i].left_out;
      for (const HeldLock& held : locksets_.locks(requests_[i].held)) {
        slot(holders_, held.lock).push_back({i, held.shared});
      }
    }
    // The short ones first: they are the likely ones, and the easy ones to read.
    bool longer = !requests_.empty();
    for (length_ = 2; longer && !stopped(); ++length_) longer = find_cycles();
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    if (left_out_ > 0) {
      notes.push_back(
          fmt::format("deadlock: {} were not looked at: there are others at the same "
                      "sites, with the same locks held",
                      counted(left_out_, "acquire")));
    }
    if (stopped()) {
      notes.push_back(fmt::format("deadlock: stopped looking after {} (--max-cycles)",
                                  counted(proposed_, "candidate")));
    }
    return notes;
  }

 private:
  struct Holder {
    size_t request;
    bool shared;
  };

  void request(uint64_t index, const Event& event) {
    const LocksetId held = held_.held(event.thread);
    if (held == kEmptyLockset) return;
    // Taking a lock back after a wait: the thread holds it already, by resume().
    const bool shared = event.op() == Op::racq;
    if (held == locksets_.with(held, {event.object, shared})) return;
    if (is_impatient(event.site)) return;
    all_requests_.add(index, event, held, kKeptPerRequest);
  }

  // A trylock or a timed lock gives up instead of waiting.
  bool is_impatient(SiteId site) {
    const StableVector<SiteId>& all = context_.symbols.impatient_sites;
    for (; impatient_seen_ < all.size(); ++impatient_seen_) impatient_.insert(all[impatient_seen_]);
    return !impatient_.empty() && impatient_.contains(site);
  }

  bool stopped() const {
    return proposed_ >= max_candidates_ || steps_ / kStepsPerCandidate >= max_candidates_;
  }

  // Proposes the cycles of length_ requests. False if there are no longer ones.
  bool find_cycles() {
    bool reached = false;
    for (size_t start = 0; start < requests_.size() && !stopped(); ++start) {
      path_ = {start};
      reached |= extend();
    }
    return reached;
  }

  // Each cycle is found from the request of its lowest thread. Threads are
  // distinct; and no two hold the same lock: such a guard lets only one in.
  // Whether there is a path of length_ requests at all.
  bool extend() {
    const LockRequest& last = requests_[path_.back()];
    if (path_.size() == length_) {
      if (closes_cycle(last)) propose_cycle();
      return true;
    }
    if (last.lock >= holders_.size()) return false;
    bool reached = false;
    for (const Holder& holder : holders_[last.lock]) {
      if (stopped()) break;
      ++steps_;
      if ((holder.shared && last.shared) || !fits(requests_[holder.request])) continue;
      path_.push_back(holder.request);
      reached |= extend();
      path_.pop_back();
    }
    return reached;
  }

  bool fits(const LockRequest& next) {
    if (next.thread <= requests_[path_[0]].thread) return false;
    return std::all_of(path_.begin(), path_.end(), [&](size_t place) {
      return requests_[place].thread != next.thread &&
             !locksets_.exclude_each_other(requests_[place].held, next.held);
    });
  }

  // `last` waits for a lock that the first of the path holds.
  bool closes_cycle(const LockRequest& last) const {
    const std::vector<HeldLock> locks = locksets_.locks(requests_[path_[0]].held);
    return std::any_of(locks.begin(), locks.end(), [&](const HeldLock& held) {
      return held.lock == last.lock && !(held.shared && last.shared);
    });
  }

  // Choices of one acquire for each request, as instances of one error.
  void propose_cycle() {
    ++cycles_;
    std::vector<uint64_t> chosen;
    propose_instances(chosen, kKeptPerCycle);
  }

  // `room` is how many ways there may be to choose the rest.
  void propose_instances(std::vector<uint64_t>& chosen, size_t room) {
    if (chosen.size() == path_.size()) return propose(chosen);
    const std::vector<uint64_t>& acquires = requests_[path_[chosen.size()]].acquires;
    const auto rest = static_cast<double>(path_.size() - chosen.size());
    const double share = std::floor(std::pow(static_cast<double>(room), 1 / rest) + 1e-9);
    const size_t tried = std::clamp<size_t>(static_cast<size_t>(share), 1, acquires.size());
    left_out_ += acquires.size() - tried;
    for (size_t i = 0; i < tried && proposed_ < max_candidates_; ++i) {
      chosen.push_back(acquires[i]);
      propose_instances(chosen, room / tried);
      chosen.pop_back();
    }
  }

  void propose(const std::vector<uint64_t>& chosen) {
    ++proposed_;
    Candidate candidate;
    candidate.analysis = kName;
    candidate.kind = "deadlock";
    candidate.group = cycles_;
    candidate.only_if_certified = true;
    candidate.lock = requests_[path_[0]].lock;
    std::string story;
    for (size_t i = 0; i < path_.size(); ++i) {
      const LockRequest& request = requests_[path_[i]];
      candidate.events.push_back({chosen[i],
                                  make_event(request.thread, request.shared ? Op::racq : Op::acq,
                                             request.lock, request.site),
                                  locksets_.locks(request.held)});
      story +=
          fmt::format("{}thread {} waits for {}, which thread {} holds", story.empty() ? "" : "; ",
                      name(Space::thread, request.thread), name(Space::lock, request.lock),
                      name(Space::thread, requests_[path_[(i + 1) % path_.size()]].thread));
    }
    candidate.message = "deadlock: " + story;
    candidate.reason = "In another schedule of the same run, " + story + ".";
    context_.propose(std::move(candidate));
  }

  std::string name(Space space, uint32_t id) const {
    return printable(context_.symbols.names(space)[id]);
  }

  AnalysisContext context_;
  const uint64_t max_candidates_;
  LocksetTable locksets_;
  uint32_t impatient_seen_ = 0;
  std::unordered_set<SiteId> impatient_;
  HeldLocks held_;
  LockRequests all_requests_;
  std::vector<LockRequest> requests_;         // those that may be in a cycle
  std::vector<std::vector<Holder>> holders_;  // by lock: those that hold it
  std::vector<size_t> path_;                  // of requests
  size_t length_ = 0;                         // of the cycles that are looked for
  uint64_t steps_ = 0;
  uint64_t cycles_ = 0;
  uint64_t proposed_ = 0;
  uint64_t left_out_ = 0;
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "threads that can block each other on locks in another schedule",
    .options = {kMaxCyclesOption},
    .needs_deciding = true,
    .ignores_ordered_accesses = true,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<Deadlock>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace::deadlock
