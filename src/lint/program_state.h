// The inside of Program: shared by the files that build it.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lint/bits.h"
#include "lint/calls.h"
#include "lint/leaks.h"
#include "lint/program.h"
#include "lint/substitute.h"

namespace foretrace::lint {

using LocationSet = std::vector<LocationId>;  // sorted, each once

// What a context is told apart by.
struct ContextKey {
  ThreadIndex thread = 0;
  const Function* function = nullptr;
  LocationSet self;
  std::vector<LocationSet> parameters;  // what they point to
  std::vector<std::tuple<LocationId, bool, Path>> held;
  bool repeated = false;
  bool merged = false;  // of more calls than are told apart
  friend bool operator==(const ContextKey&, const ContextKey&) = default;
};

// Contexts are looked up by their keys.
size_t hash_of(const ContextKey& key);
class ContextKeyHash {
 public:
  using is_transparent = void;
  explicit ContextKeyHash(const std::vector<ContextKey>& keys) : keys_(&keys) {}
  size_t operator()(const ContextKey& key) const { return hash_of(key); }
  size_t operator()(ContextId id) const { return hash_of((*keys_)[id]); }

 private:
  const std::vector<ContextKey>* keys_;
};
class ContextKeyEqual {
 public:
  using is_transparent = void;
  explicit ContextKeyEqual(const std::vector<ContextKey>& keys) : keys_(&keys) {}
  bool operator()(ContextId a, ContextId b) const { return a == b; }
  bool operator()(const ContextKey& key, ContextId id) const { return key == (*keys_)[id]; }
  bool operator()(ContextId id, const ContextKey& key) const { return key == (*keys_)[id]; }

 private:
  const std::vector<ContextKey>* keys_;
};

// Which threads were started and not joined, and which were joined, since the
// beginning of a context.
struct Lives {
  std::set<ThreadIndex> started;  // perhaps
  std::set<ThreadIndex> ended;    // for certain
  bool reached = false;
  friend bool operator==(const Lives&, const Lives&) = default;
};

struct Program::State {
  std::vector<Summary> summaries;
  std::unordered_map<Name, Function*> functions;
  std::unordered_map<Name, std::vector<Name>> overriders;  // transitive
  std::unordered_map<const Function*, std::unordered_map<uint32_t, std::pair<uint32_t, const Op*>>>
      ops;  // by function and id: block and op
  std::unordered_map<const Function*, std::vector<const Release*>> releases;
  std::unordered_map<Name, const Global*> globals;

  Locations locations;
  std::map<LocationId, std::set<LocationId>> points_to;
  std::map<LocationId, std::set<LocationId>> copies;  // has what these have
  // Of objects that are "some object that was made here": which they are, and the other
  // way round.
  std::map<LocationId, std::set<LocationId>> members;
  std::unordered_map<LocationId, std::vector<LocationId>> member_of;
  std::unordered_map<LocationId, uint32_t> joined_in;  // the last round in which it became one
  uint32_t last_joined = 0;                            // of all
  bool held_changed = false;  // in this round: locks that the callers of a context hold

  // What was found in a round: what is in a cell, and what a context returns; and the last
  // round in which that was something new.
  struct InRound {
    uint32_t round = 0;
    uint32_t changed = 0;
    LocationSet found;
  };
  struct Returned {
    uint32_t round = 0;
    uint32_t changed = 0;
    LocationSet pointees;
    LocationSet originals;  // of an object that is returned by value
  };
  std::vector<InRound> cells;
  std::vector<Returned> returned;
  uint32_t rounds = 1;

  // What a visit of a context looked at, and the cells that it put something into. As long as
  // that stays the same, another visit would find nothing new.
  struct Inputs {
    uint32_t visited = 0;  // in which round
    bool changed = true;   // by the visit itself, or the locks that callers hold have
    std::vector<LocationId> cells;
    std::vector<LocationId> written;
    std::vector<ContextId> results;  // of these
  };
  std::vector<Inputs> inputs;   // by context
  Inputs* looked_at = nullptr;  // of the context that is visited

  // More contexts of one function, and the next ones are merged: their objects become
  // "some object of that type". More kinds of threads that one place starts, and the
  // next ones are one kind.
  size_t max_contexts = 0;
  size_t max_threads = 0;

  std::vector<Context> contexts;
  std::vector<ContextKey> keys;
  std::unordered_set<ContextId, ContextKeyHash, ContextKeyEqual> context_ids{
      0, ContextKeyHash(keys), ContextKeyEqual(keys)};  // by key
  std::vector<Calls> callees;                           // by context
  std::vector<bool> live;                               // reachable from a thread
  std::vector<Thread> threads;
  std::map<std::tuple<ContextId, uint32_t, Name>, ThreadIndex> thread_ids;
  std::map<std::tuple<const Function*, uint32_t, Name>, std::vector<ThreadIndex>> threads_of_spawn;
  std::map<std::pair<ContextId, uint32_t>, std::vector<ThreadIndex>> spawned;
  std::set<LocationId> shared_objects;
  std::unordered_map<const Function*, uint32_t> times_called;
  std::set<const Function*> repeated;  // that may run many times

  // From parallel.cc.
  std::vector<std::vector<Lives>> block_lives;     // by context and block; empty: none changes
  std::vector<Lives> context_lives;                // at the end of a context
  std::vector<Bits> alive_at_entry;                // by context: threads
  std::vector<std::set<ThreadIndex>> descendants;  // by thread
  std::set<std::pair<ThreadIndex, ThreadIndex>> overlap;

  // For Program::own(). From own_objects.cc, when all else is known.
  std::vector<std::vector<Place>> calls_of;  // by context: those that lead to it
  std::unique_ptr<Leaks> leaks;
  std::map<std::tuple<ContextId, Path::Root, uint32_t>, bool> own_parameters;
  void find_callers();

  // points_to.cc: what paths and values mean in a context.
  bool guess = false;  // unknown pointers point to some object of their type
  LocationSet locations_of(ContextId context, const Path& path);
  LocationSet pointees_of(ContextId context, const Value& value);
  LocationSet contents(LocationId cell, Name type);
  const LocationSet& known_contents(LocationId cell);
  LocationSet results(ContextId context, uint32_t call_op, bool originals);
  const Returned& returned_by(ContextId context);
  bool bind(ContextId context, const Binding& binding);
  bool bind_captures(ContextId context, const Value& value);
  bool points(LocationId cell, const LocationSet& targets);
  bool copied(LocationId cell, const LocationSet& originals);

  // sharing.cc: objects that are no longer told apart, and those that are shared.
  LocationSet merged(const LocationSet& set, Name type);
  LocationSet told_apart(const LocationSet& set, Name type);  // if there are not too many
  std::vector<LocationId> wholes_of(LocationId cell);
  bool has_new_wholes(LocationId cell, uint32_t round) const;
  void find_shared();
  static bool is_everywhere(Name type_name);
  bool is_hub(LocationId object) const;
  std::map<LocationId, std::set<LocationId>> find_reach() const;

  // link.cc: contexts and threads.
  void link();
  void index();
  bool round();
  bool is_stale(ContextId id);
  bool visit(ContextId id);
  std::vector<const Function*> targets(ContextId context, const Call& call);
  // The virtual function of these objects, or all that may be meant.
  std::vector<const Function*> overriding(ContextId context, Name usr, const Value& receiver);
  std::vector<const Function*> entries(ContextId creator, const Spawn& spawn);
  ContextId enter(const ContextKey& key, const Context& made);
  ContextId call(ContextId caller, const Op& op, const Function& callee, bool in_loop);
  std::pair<ThreadIndex, bool> thread_for(ContextId creator, uint32_t op, const Function& entry);
  void add_arguments(ContextKey& key, const ContextKey& more);
  bool is_once(ContextId context, const Op& op);
  bool spawn(ContextId creator, const Op& op, const Spawn& spawn);
  std::vector<HeldLock> locks_at(ContextId context, const Op& op);
  std::vector<HeldLock> locks_for_callee(ContextId context, const Op& op, const Given& given);
  void add_roots(bool leftover);

  // drop_dead.cc
  void drop_dead();
  void drop_dead_threads();
  std::vector<bool> contexts_to_keep() const;
  void renumber_contexts(const std::vector<bool>& kept);

  // parallel.cc
  void find_lives();
  void find_alone();
  bool is_alone(ThreadIndex thread) const;
  bool is_variable(LocationId location) const;
  void find_overlaps();
  bool find_lives_of(ContextId context);
  void step(ContextId context, const Op& op, Lives& lives) const;
  bool starts(ThreadIndex thread, ThreadIndex other) const;
  std::set<ThreadIndex> joined_by(ContextId context, const Join& join) const;
  std::vector<bool> find_busy() const;
  void find_alive_at_entry();
  Bits alive(const Place& place) const;

  // unpublished.cc
  std::map<std::pair<const Function*, uint32_t>, std::optional<std::set<uint32_t>>> leaving;
  bool is_unpublished(const Place& place, const Path& path, int depth = 0);

  // teams.cc
  class Phases;
  std::vector<bool> teams;                    // by thread: an OpenMP team, one at a time
  std::vector<std::map<Place, Bits>> phases;  // by team, if it has barriers
  void find_phases();
  bool is_started_as(ThreadIndex thread, const char* how) const;
  std::vector<Place> starts_of(const Place& place) const;
  bool meet(ThreadIndex team, const Place& a, const Place& b) const;
  bool done_by_one(const Place& a, const Place& b);
  // None: it is not a matter of a team.
  std::optional<bool> parallel_in_team(const Place& a, const Place& b);

  // frames.cc
  bool started_here(const Place& place, ThreadIndex thread) const;
  Lives lives_at(const Place& place) const;
  std::vector<Place> starts_with(const Place& place, std::optional<ThreadIndex> started) const;
};

// More than this and the set says as little as "some object" does.
inline constexpr size_t kMaxTargets = 8;

void add_to(LocationSet& set, const LocationSet& more);

}  // namespace foretrace::lint
