#include "property/reference_serializability.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace foretrace::testing {
namespace {

bool reads_only(Op op) { return op == Op::rd || op == Op::vrd || op == Op::ard; }
bool for_reading(Op op) { return op == Op::racq || op == Op::rrel; }
bool notifies(Op op) { return op == Op::notify || op == Op::notifyall; }
bool uses_lock(Op op) { return space_of(op) == Space::lock && !notifies(op); }

// The wait that the event ends, if it does.
std::vector<std::optional<size_t>> ended_waits(const Trace& trace) {
  std::vector<std::optional<size_t>> ended(trace.events.size());
  std::map<ThreadId, size_t> waits;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.op() == Op::skip) continue;
    if (const auto wait = waits.find(event.thread); wait != waits.end()) {
      ended[i] = wait->second;
      waits.erase(wait);
    }
    if (event.op() == Op::wait) waits[event.thread] = i;
  }
  return ended;
}

// All serial orders, one transaction after the other, given up as soon as one
// comes too early.
class SerialOrders {
 public:
  SerialOrders(const Relation& conflicts, const std::vector<size_t>& transactions, size_t length)
      : conflicts_(conflicts), transactions_(transactions), length_(length) {
    for (size_t i = 0; i < length; ++i) left_.insert(transactions[i]);
  }

  bool try_all() {
    if (left_.empty()) return true;
    if (!seen_.insert(left_).second) return false;  // the rest was tried in vain
    for (const size_t next : std::set<size_t>(left_)) {
      if (!may_come(next)) continue;
      left_.erase(next);
      const bool found = try_all();
      left_.insert(next);
      if (found) return true;
    }
    return false;
  }

 private:
  // None of its events conflicts with an earlier one of a transaction that is
  // still to come.
  bool may_come(size_t transaction) const {
    for (size_t b = 0; b < length_; ++b) {
      if (transactions_[b] != transaction) continue;
      for (size_t a = 0; a < b; ++a) {
        if (transactions_[a] != transaction && left_.contains(transactions_[a]) &&
            conflicts_[a][b]) {
          return false;
        }
      }
    }
    return true;
  }

  const Relation& conflicts_;
  const std::vector<size_t>& transactions_;
  const size_t length_;
  std::set<size_t> left_;
  std::set<std::set<size_t>> seen_;
};

}  // namespace

Relation reference_conflicts(const Trace& trace) {
  const size_t n = trace.events.size();
  Relation conflict = program_order(trace);
  add_barrier_edges(trace, conflict);
  const std::vector<std::optional<size_t>> ended = ended_waits(trace);
  for (size_t b = 0; b < n; ++b) {
    const Event& later = trace.events[b];
    for (size_t a = 0; a < b; ++a) {
      const Event& earlier = trace.events[a];
      const bool both_locations =
          space_of(earlier.op()) == Space::location && space_of(later.op()) == Space::location;
      if (both_locations && earlier.object == later.object &&
          !(reads_only(earlier.op()) && reads_only(later.op()))) {
        conflict[a][b] = true;
      }
      if (uses_lock(earlier.op()) && uses_lock(later.op()) && earlier.object == later.object &&
          !(for_reading(earlier.op()) && for_reading(later.op()))) {
        conflict[a][b] = true;
      }
      // Taking a lock back after a wait is an acquire of it.
      if (ended[b] && uses_lock(earlier.op()) && earlier.object == trace.events[*ended[b]].object) {
        conflict[a][b] = true;
      }
      if (ended[a] && uses_lock(later.op()) && later.object == trace.events[*ended[a]].object) {
        conflict[a][b] = true;
      }
      if (ended[b] && notifies(earlier.op()) && a > *ended[b] &&
          earlier.object == trace.events[*ended[b]].object) {
        conflict[a][b] = true;
        conflict[*ended[b]][a] = true;
      }
      if (earlier.op() == Op::fork && earlier.object == later.thread) conflict[a][b] = true;
      if (later.op() == Op::join && later.object == earlier.thread) conflict[a][b] = true;
      if (earlier.op() == Op::fork && later.op() == Op::join && earlier.object == later.object) {
        conflict[a][b] = true;
      }
    }
  }
  // A wait that has not ended has begun before its notifies all the same.
  for (size_t wait = 0; wait < n; ++wait) {
    if (trace.events[wait].op() != Op::wait) continue;
    for (size_t i = wait + 1; i < n; ++i) {
      const Event& event = trace.events[i];
      if (event.op() == Op::skip) continue;
      if (event.thread == trace.events[wait].thread) break;
      if (notifies(event.op()) && event.object == trace.events[wait].object) {
        conflict[wait][i] = true;
      }
    }
  }
  return conflict;
}

std::vector<size_t> reference_transactions(const Trace& trace) {
  std::vector<size_t> transactions;
  std::map<ThreadId, std::vector<size_t>> units;  // open ones, by the index of their begin
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    std::vector<size_t>& open = units[event.thread];
    if (event.op() == Op::beg) open.push_back(i);
    transactions.push_back(open.empty() ? i : open.front());
    if (event.op() == Op::end) open.pop_back();
  }
  return transactions;
}

bool has_serial_order(const Trace& trace, size_t length) {
  return SerialOrders(reference_conflicts(trace), reference_transactions(trace), length).try_all();
}

}  // namespace foretrace::testing
