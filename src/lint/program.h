// The whole program: the summaries of all translation units, linked by USR, and
// what follows from that: which threads there are, who calls whom with what, which
// memory is meant, which locks are held, what may happen in parallel.
//
// The analyses walk it like this:
//
//   for (const Thread& thread : program.threads())
//     walk(thread.root);                       // a ContextId
//   walk(context): for each block and op of program.context(context).function
//     Access: program.locations(context, access.path)
//             program.locks(context, op)       // held there, callers' included
//     Call:   for each c of program.callees(context, op) walk(c)
//             none: no body is known, see Models
//
// A function has one context per thread for each combination of objects that it
// is called with and locks that are held there, so contexts form a graph, with
// cycles where functions are recursive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lint/locations.h"
#include "lint/summary.h"

namespace foretrace::lint {

using ThreadIndex = uint32_t;
using ContextId = uint32_t;

// A lock that is held, in the words of the program.
struct HeldLock {
  LocationId lock = 0;
  bool sure = true;  // no other lock can be meant
  bool shared = false;
  LockKind kind = LockKind::mutex;
  // The same lock in the words of the function that is looked at, if it can be said
  // so: `this->mutex`. Two objects that have one location (elements of an array)
  // have one lock only if lock and access start from the same object.
  Path path;
  // The region: the acquire that began it and the context in which it did.
  ContextId region_context = 0;
  uint32_t region_op = 0;
};

// A function as it is called by a thread.
struct Context {
  const Function* function = nullptr;
  ThreadIndex thread = 0;
  ContextId parent = 0;        // who called it first; itself for a thread's root
  uint32_t call_op = 0;        // the call in the parent
  bool repeated = false;       // the call is in a loop, here or further up
  std::vector<HeldLock> held;  // by the callers
};

// One thread, or as many as `many` says, that a Spawn or the start of main begins.
struct Thread {
  ContextId root = 0;
  bool many = false;
  bool is_main = false;
  bool merged = false;  // several creators start it, of which `creator` is one
  // The Spawn; not for main.
  ContextId creator = 0;
  uint32_t spawn_op = 0;
  std::string name;  // "main", "worker (started at bank.cpp:20:3)"
};

// One op as it is done by a thread.
struct Place {
  ContextId context = 0;
  uint32_t op = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// When an op is done, as far as start and join tell: by which thread, and which of the
// threads that it has started, or those have, live then.
struct Moment {
  ThreadIndex thread = 0;
  std::vector<ThreadIndex> alive;  // sorted; empty where it makes no difference
  std::optional<Place> in_team;    // the op, if it is an OpenMP team's or of one of its tasks
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

// Whose an object is.
enum class Ownership : uint8_t {
  none,        // perhaps everybody's
  frame,       // on the stack of the functions that led to the access, or allocated by them
  argument,    // what the loop that started the thread gave to it, and no other
  allocation,  // and what that points to, which was allocated for it
};
struct Owned {
  Ownership how = Ownership::none;
  // argument: the call or Spawn in the loop that gave it, and the object in its words.
  Place given_at;
  Path given;
};

class Program {
 public:
  // Links the summaries. Of functions that several have, the first is taken.
  explicit Program(std::vector<Summary> summaries);
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  const std::vector<Summary>& summaries() const;
  const Function* function(Name usr) const;  // null: no body is known
  const std::vector<Thread>& threads() const;
  size_t contexts() const;
  const Context& context(ContextId id) const;
  const Locations& all_locations() const;

  const Op& op(const Place& place) const;
  // What a path of the context's function may mean; empty if nothing is known.
  std::vector<LocationId> locations(ContextId context, const Path& path) const;
  // What a value may point to.
  std::vector<LocationId> pointees(ContextId context, const Value& value) const;
  // The contexts that a Call leads to; empty if no body is known.
  std::span<const ContextId> callees(const Place& call) const;
  // The calls that lead to a context; none for those that threads begin with.
  const std::vector<Place>& callers(ContextId context) const;
  // All locks that are held just before the op, the callers' first.
  std::vector<HeldLock> locks(const Place& place) const;

  // Whether more than one thread can get at it: globals, what is passed to a thread,
  // and what can be reached from there.
  bool shared(LocationId location) const;
  // Of which it cannot be said that two are the same: a number, a string or a container
  // behind a pointer that comes from somewhere unknown, as every program is full of them;
  // some local or allocation, of those that are not told apart.
  bool indistinct(LocationId location) const;
  // Whether the two ops may be done at the same time, by two threads: start and
  // join order only, not locks. True for one op twice if its thread runs many times.
  bool parallel(const Place& a, const Place& b) const;
  bool parallel(const Moment& a, const Moment& b) const;
  Moment moment(const Place& place) const;
  // Whether the regions exclude each other: a lock in common, not both as readers.
  // `a` and `b` are what is accessed, see HeldLock::path.
  bool exclude(const Place& a, const Path& path_a, const Place& b, const Path& path_b) const;

  // Whether the object that is accessed is the thread's own. Two threads never have one of
  // their frames' objects in common, nor of what was allocated for them; and instances of
  // one thread none of their arguments.
  Owned ownership(const Place& place, const Path& path) const;
  // Whether the object can be no other thread's at all: by every way that leads to the op it
  // is on the stack of a caller, or was allocated by it, and its address never leaves, or has
  // not left yet.
  bool own(const Place& place, const Path& path) const;
  // Whether the loop that gave the object to a thread accesses it in the same round, before
  // the thread is started.
  bool before_given(const Place& place, const Path& path, const Owned& owned) const;

  // Whether the two are variables on stacks that are of different calls, or that no thread
  // has while the other access is done. False if that is not known.
  bool apart_on_stacks(const Place& a, const Path& path_a, const Place& b,
                       const Path& path_b) const;
  // The parameter or capture of the thread's entry that a number is, of which each thread that
  // the loop starts is given another one.
  std::optional<Token> own_number(ContextId context, const Token& number) const;

  // Whether the location is one object at most: no element, no allocation that is done
  // again and again.
  bool single(LocationId location) const;

  // "account.balance", "queue[].size": for messages.
  std::string text(LocationId location) const;
  // The calls from the thread's entry to the context: first the root.
  std::vector<ContextId> call_chain(ContextId context) const;

 private:
  template <typename AHas, typename BHas>
  bool parallel(ThreadIndex a, const AHas& a_has, ThreadIndex b, const BHas& b_has) const;
  bool in_loop(const Place& place) const;
  bool same_element(const HeldLock& one, const HeldLock& other) const;
  class OwnObjects;
  class Frames;

  struct State;
  std::unique_ptr<State> state_;
};

// All contexts that some thread comes to, by number.
std::vector<ContextId> contexts_of_threads(const Program& program);
// The contexts that a context calls, some more than once.
std::vector<ContextId> callees_of(const Program& program, ContextId context);
// The ids of all ops of a context's function.
std::vector<uint32_t> ops_of(const Program& program, ContextId context);

}  // namespace foretrace::lint
