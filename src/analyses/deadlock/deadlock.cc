// Deadlocks: cycles of acquires, each by another thread, each waiting for a lock
// that the next thread holds; certify decides whether they can all wait at once.
#include <algorithm>
#include <memory>
#include <vector>

#include "analyses/analysis.h"
#include "base/text.h"
#include "order/lockset.h"

namespace foretrace {
namespace {

constexpr std::string_view kName = "deadlock";
// Of acquires that look the same, this many are kept.
constexpr size_t kKeptPerKind = 16;

constexpr AnalysisOption kMaxCyclesOption = {
    "max-cycles", "N", "100k", "Stop looking for deadlocks after N candidates, and say so"};

// Acquires by one thread of one lock, at one site, with the same locks held.
struct Request {
  ThreadId thread;
  LockId lock;
  bool shared;
  LocksetId held;
  SiteId site;
  std::vector<uint64_t> acquires;  // their indexes
};

class Deadlock : public Analysis {
 public:
  explicit Deadlock(AnalysisContext context)
      : context_(std::move(context)),
        max_cycles_(context_.settings.count(kMaxCyclesOption)),
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
    for (size_t start = 0; start < requests_.size(); ++start) {
      path_ = {start};
      extend();
    }
  }

  std::vector<std::string> notes() const override {
    if (left_out_ == 0) return {};
    return {fmt::format("deadlock: {} were not looked at: too many like them (--max-cycles)",
                        counted(left_out_, "candidate"))};
  }

 private:
  void request(uint64_t index, const Event& event) {
    // Taking a lock back after a wait: the thread holds it already, by resume().
    const bool shared = event.op() == Op::racq;
    const LocksetId held = held_.held(event.thread);
    if (held == kEmptyLockset || held == locksets_.with(held, {event.object, shared})) return;
    const auto found = std::find_if(requests_.begin(), requests_.end(), [&](const Request& r) {
      return r.thread == event.thread && r.lock == event.object && r.shared == shared &&
             r.held == held && r.site == event.site;
    });
    if (found == requests_.end()) {
      requests_.push_back({event.thread, event.object, shared, held, event.site, {index}});
    } else if (found->acquires.size() < kKeptPerKind) {
      found->acquires.push_back(index);
    } else {
      ++left_out_;
    }
  }

  // `waiting` waits for a lock that `holding`'s thread holds.
  bool waits_for(const Request& waiting, const Request& holding) const {
    const std::vector<HeldLock> locks = locksets_.locks(holding.held);
    return std::any_of(locks.begin(), locks.end(), [&](const HeldLock& held) {
      return held.lock == waiting.lock && !(held.shared && waiting.shared);
    });
  }

  // Each cycle is found from the request of its lowest thread. Threads are
  // distinct; and no two hold the same lock: such a guard lets only one in.
  void extend() {
    const Request& last = requests_[path_.back()];
    for (size_t next = 0; next < requests_.size(); ++next) {
      const Request& request = requests_[next];
      if (request.thread <= requests_[path_[0]].thread || !waits_for(last, request)) continue;
      const bool fits = std::all_of(path_.begin(), path_.end(), [&](size_t place) {
        return requests_[place].thread != request.thread &&
               !locksets_.exclude_each_other(requests_[place].held, request.held);
      });
      if (!fits) continue;
      path_.push_back(next);
      if (waits_for(request, requests_[path_[0]])) propose_cycle();
      if (groups_ < max_cycles_) extend();
      path_.pop_back();
    }
  }

  // All choices of one acquire for each request, as instances of one error.
  void propose_cycle() {
    if (groups_ >= max_cycles_) {
      ++left_out_;
      return;
    }
    ++groups_;
    std::vector<uint64_t> chosen;
    propose_instances(chosen, 0);
  }

  void propose_instances(std::vector<uint64_t>& chosen, size_t from) {
    if (from == path_.size()) return propose(chosen);
    for (const uint64_t acquire : requests_[path_[from]].acquires) {
      chosen.push_back(acquire);
      propose_instances(chosen, from + 1);
      chosen.pop_back();
    }
  }

  void propose(const std::vector<uint64_t>& chosen) {
    Candidate candidate;
    candidate.analysis = kName;
    candidate.kind = "deadlock";
    candidate.group = groups_;
    candidate.only_if_certified = true;
    candidate.lock = requests_[path_[0]].lock;
    std::string story;
    for (size_t i = 0; i < path_.size(); ++i) {
      const Request& request = requests_[path_[i]];
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
  const uint64_t max_cycles_;
  LocksetTable locksets_;
  HeldLocks held_;
  std::vector<Request> requests_;
  std::vector<size_t> path_;  // of requests
  uint64_t groups_ = 0;
  uint64_t left_out_ = 0;
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "threads that can block each other on locks in another schedule",
    .options = {kMaxCyclesOption},
    .needs_deciding = true,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<Deadlock>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
