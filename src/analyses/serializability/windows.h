// The predictive form: events of other threads that another schedule may put
// between two events of a unit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/open_units.h"
#include "analyses/serializability/unit_pairs.h"
#include "analyses/serializability/unit_walks.h"
#include "analyses/serializability/use.h"
#include "base/hash.h"
#include "order/happens_before.h"
#include "order/lockset.h"
#include "trace/event.h"

namespace foretrace::serializability {

// A unit uses something twice, and another thread uses it, too, so that it
// conflicts with both: if it came between the two, the unit would not be
// serializable. In the trace it did not.
struct Intrusion {
  Use first;
  Use second;
  Use culprit;
  std::shared_ptr<UnitStack> units;  // that contain both
  uint64_t group = 0;                // those that look alike have the same

  uint64_t distance() const {
    return culprit.index < first.index ? first.index - culprit.index : culprit.index - second.index;
  }
};
// Collects intrusions along a well-formed stream, those that nothing obvious
// rules out: a lock that is held all the time between the two and by the culprit,
// or an order by fork, join or barrier. It is enough to look between consecutive
// uses, and for a culprit that only reads between consecutive writes.
//
// Intrusions look alike if they have the same labels, sites and operations and,
// where sites are not known, are of the same thing. If one of them is in the
// trace itself, the others are not proposed.
//
// Of uses that look alike, and of intrusions that do, only a few are kept;
// left_out() counts what was not tried for that. So memory and time do not
// depend on how often a program does the same thing.
class Windows {
 public:
  Windows() : held_(locksets_), pairs_(locksets_, fixed_order_), walks_(locksets_) {}

  void process(uint64_t index, const Event& event);
  // Call some events ahead of process(), first the one, then the other: what is
  // known of a location is behind two pointers.
  void prefetch_object(const Event& event) const {
    if (is_access(event.op()) && event.object < locations_.size()) {
      __builtin_prefetch(&locations_[event.object]);
    }
  }
  void prefetch_uses(const Event& event) const {
    if (!is_access(event.op()) || event.object >= locations_.size()) return;
    const std::vector<UseClass>& uses = locations_[event.object].uses;
    __builtin_prefetch(uses.data());
    if (!uses.empty()) __builtin_prefetch(reinterpret_cast<const char*>(uses.data()) + 64);
  }
  // All that were found, by group, and in each the nearest first.
  std::vector<Intrusion> take();
  // And what needs two things.
  std::vector<Tangle> take_tangles();
  // And, after that, what needs three threads or more.
  std::vector<Ring> take_rings();
  uint64_t left_out() const { return left_out_ + pairs_.left_out() + walks_.left_out(); }
  const LocksetTable& locksets() const { return locksets_; }

 private:
  static constexpr size_t kKept = 4;      // uses, or windows, that look alike: of so many threads
  static constexpr size_t kTried = 16;    // intrusions that look alike
  static constexpr uint32_t kLooks = 64;  // at a class for partners

  // A class on the other side that may still match, and the group that this makes.
  struct Partner {
    uint32_t place;
    uint32_t group;
    uint32_t looks = 0;
  };
  // Uses of one thing, or windows on it, that look alike. Partners that have been
  // tried or looked at often enough, or can never match, are given up.
  template <typename T>
  struct Alike {
    std::vector<T> latest;  // of each thread one
    bool forgot = false;    // there were more
    std::vector<Partner> partners;
    size_t partners_seen = 0;  // how many classes have been considered
  };
  struct UseClass : Alike<Use> {
    Op op;
    SiteId site;
  };
  struct Window {
    Use first;
    Use second;
    std::shared_ptr<UnitStack> units;
    LocksetId held_through;  // locks held from the first to the second use
    bool first_knows_all;    // the thread's fixed order did not change in between

    ThreadId thread() const { return second.event.thread; }
  };
  // Who conflicts with both ends of a window, and is not found between others.
  enum class Culprits : uint8_t { writers, readers, both };
  struct WindowClass : Alike<Window> {
    uint64_t key;
    Culprits culprits;
  };
  struct Object {
    std::vector<UseClass> uses;
    std::vector<WindowClass> windows;
  };
  struct Group {
    uint32_t tried = 0;
    bool observed = false;
  };
  // What a unit has used last.
  struct InUnit {
    Use last;
    Use last_write;
    bool has_write = false;
  };
  struct Holding {
    HeldLock lock;
    uint64_t since;
  };
  struct Thread {
    OpenUnits units;
    uint64_t outermost = 0;        // the number of the outermost open one, 0 is none
    uint32_t outermost_label = 0;  // its label
    tsl::robin_map<uint64_t, InUnit, IntegerHash> in_unit;  // by object
    std::vector<uint64_t> used;                             // the keys of in_unit
    std::vector<Holding> holding;
    bool waiting = false;
    LockId wait_lock = 0;
    uint64_t resumed_at = UINT64_MAX;
    uint64_t learnt_at = 0;  // when its fixed order last changed
  };

  void resume(uint64_t index, const Event& event, Thread& thread);
  Use use_at(uint64_t index, const Event& event);
  void use(const Use& use, Thread& thread);
  void use_in_unit(Object& object, const Use& use, Thread& thread);
  void add_window(Object& object, const Use& first, const Use& second, Culprits culprits,
                  Thread& thread);
  void add_use(Object& object, const Use& use);
  UseClass& class_of(Object& object, const Use& use);
  WindowClass& class_of(Object& object, const Window& window, Culprits culprits);
  void match(Object& object, WindowClass& windows, const Window& window);
  void match(Object& object, UseClass& uses, const Use& use);
  static bool may_match(const WindowClass& windows, const UseClass& uses) {
    return windows.culprits == Culprits::both ||
           only_reads(uses.op) == (windows.culprits == Culprits::readers);
  }
  bool is_given_up(Partner& partner);
  bool exclude_each_other(LocksetId a, LocksetId b);
  uint32_t group_of(uint64_t window_key, const UseClass& uses);
  void add(uint32_t group, const Window& window, const Use& culprit);
  LocksetId held_since(const Thread& thread, uint64_t index);
  void end_unit(ThreadId id, Thread& thread);

  HappensBefore fixed_order_;  // by fork, join and barrier
  LocksetTable locksets_;
  HeldLocks held_;
  UnitPairs pairs_;
  UnitWalks walks_;
  uint64_t units_ = 0;  // outermost ones, so far
  std::vector<Thread> threads_;
  std::vector<Object> locations_;
  std::vector<Object> locks_;
  tsl::robin_map<uint64_t, uint32_t, IntegerHash> window_classes_;  // places in Object::windows
  tsl::robin_map<uint64_t, uint32_t, IntegerHash> group_numbers_;   // places in groups_
  std::vector<Group> groups_;
  std::vector<Intrusion> found_;
  // Answers of the lockset table, at the place that both numbers hash to.
  struct Exclusion {
    LocksetId a = kEmptyLockset;
    LocksetId b = kEmptyLockset;
    bool exclude = false;
  };
  std::array<Exclusion, 1024> exclusions_ = {};
  uint64_t left_out_ = 0;
};

}  // namespace foretrace::serializability
