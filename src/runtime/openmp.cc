// OpenMP by LLVM's libomp, which tells its tools (OMPT) what it does.
//
// Libomp's threads are POSIX threads, which the runtime knows. What orders them
// is inside libomp, so it becomes edges and locks here:
//   the start of a parallel region  an edge to each thread of the team
//   a barrier                       each thread updates a location when it
//                                   arrives and reads it when it leaves; the
//                                   next barrier uses another location
//   the end of a parallel region    a barrier that only the first thread leaves:
//                                   the others wait in it for their next region
//   a task                          an edge from its creation to its start, and
//                                   from its end to what waits for it
//   critical, locks                 locks
// A location that many write is updated, not written: an update has read the one
// before it, so a schedule keeps all of them.
#include <atomic>
#include <cstring>

#include <omp-tools.h>
#include <sched.h>

#include "runtime/edges.h"
#include "runtime/memory.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// The addresses of members are names of edges.
struct Team {
  char start;
  char barriers[2];
  char end;
};

struct Group {
  Group* outer;
  char end;
  std::atomic<uint32_t> users;
};

struct Task {
  Task* parent;
  Task* older;     // the child that the parent created before this one
  Task* children;  // for which it has not waited yet, the youngest first
  Group* group;    // the innermost that waits for it
  ompt_dependence_t* needs;
  int need_count;
  bool started;
  uint32_t barriers;  // that an implicit task has passed
  std::atomic<uint32_t> users;
  char start;
  char end;
};

ompt_get_task_memory_t task_memory;

// The barrier in which the thread is: what it does there, tasks, must be done
// before any thread leaves it. 0 if it is in none.
__thread uint64_t current_barrier __attribute__((tls_model("initial-exec")));

void give(const char& edge) { record_sync(Kind::atomic_write, edge_of(&edge)); }
void give_too(const char& edge) { record_sync(Kind::atomic_update, edge_of(&edge)); }
void take(const char& edge) { record_sync(Kind::atomic_read, edge_of(&edge)); }

template <typename Data>
Data* allocate() {
  void* const memory = allocate_memory(sizeof(Data));
  if (memory != nullptr) std::memset(memory, 0, sizeof(Data));
  return static_cast<Data*>(memory);
}

Task* task_of(const ompt_data_t* data) {
  return data != nullptr ? static_cast<Task*>(data->ptr) : nullptr;
}
Team* team_of(const ompt_data_t* data) {
  return data != nullptr ? static_cast<Team*>(data->ptr) : nullptr;
}

void release(Group* group) {
  if (group != nullptr && group->users.fetch_sub(1) == 1) release_memory(group);
}

void release(Task* task) {
  // The parents of the last of many are released in a loop, not in calls.
  while (task != nullptr && task->users.fetch_sub(1) == 1) {
    Task* const parent = task->parent;
    release(task->group);
    release_memory(task->needs);
    release_memory(task);
    task = parent;
  }
}

// The edges of the ends of its children are taken, or needed no more.
void forget_children(Task& task, bool take_edges) {
  while (Task* const child = task.children) {
    task.children = child->older;
    if (take_edges) take(child->end);
    release(child);
  }
}

// Tasks that have a dependence on an address: those that only read come after
// the writers before them, those that write after all before them.
struct AddressEdges {
  explicit AddressEdges(const void* address) : address_(static_cast<const char*>(address)) {}
  const char& writers() const { return address_[0]; }
  const char& readers() const { return address_[1]; }

 private:
  const char* address_;
};

bool only_reads(const ompt_dependence_t& need) {
  return need.dependence_type == ompt_dependence_type_in;
}

void begin(Task& task) {
  task.started = true;
  take(task.start);
  for (int i = 0; i < task.need_count; ++i) {
    const AddressEdges edges(task.needs[i].variable.ptr);
    take(edges.writers());
    if (!only_reads(task.needs[i])) take(edges.readers());
  }
}

void end(Task& task) {
  for (int i = 0; i < task.need_count; ++i) {
    const AddressEdges edges(task.needs[i].variable.ptr);
    give_too(only_reads(task.needs[i]) ? edges.readers() : edges.writers());
  }
  give(task.end);
  if (task.group != nullptr) give_too(task.group->end);
  if (current_barrier != 0) record_sync(Kind::atomic_update, current_barrier);
}

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* parallel, unsigned, int,
                       const void* caller) {
  const CallPlace place(caller);
  auto* const team = allocate<Team>();
  parallel->ptr = team;
  if (team != nullptr) give(team->start);
}

// All threads have arrived at the barrier at its end: nobody uses the team.
void on_parallel_end(ompt_data_t* parallel, ompt_data_t*, int, const void* caller) {
  Team* const team = team_of(parallel);
  if (team == nullptr) return;
  const CallPlace place(caller);
  take(team->end);
  release_memory(team);
  parallel->ptr = nullptr;
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* data,
                      unsigned, unsigned, int) {
  if (endpoint == ompt_scope_begin) {
    auto* const task = allocate<Task>();
    if (task != nullptr) task->users = 1;
    data->ptr = task;
    if (const Team* const team = team_of(parallel)) take(team->start);
  } else if (Task* const task = task_of(data)) {
    current_barrier = 0;
    forget_children(*task, false);  // the barrier has waited for them
    data->ptr = nullptr;
    release(task);
  }
}

void on_task_create(ompt_data_t* creator, const ompt_frame_t*, ompt_data_t* created, int flags, int,
                    const void* caller) {
  constexpr int kNoTask = ompt_task_initial | ompt_task_implicit;
  if ((flags & kNoTask) != 0) return;
  const CallPlace place(caller);
  auto* const task = allocate<Task>();
  created->ptr = task;
  if (task == nullptr) return;
  task->users = 1;  // itself, until it has ended
  if (Task* const parent = task_of(creator)) {
    task->parent = parent;
    ++parent->users;
    task->older = parent->children;
    parent->children = task;
    ++task->users;
    task->group = parent->group;
    if (task->group != nullptr) ++task->group->users;
  }
  give(task->start);
}

void on_dependences(ompt_data_t* data, const ompt_dependence_t* needs, int count) {
  Task* const task = task_of(data);
  if (task == nullptr || count <= 0) return;
  const ompt_dependence_type_t type = needs[0].dependence_type;
  if (type == ompt_dependence_type_source || type == ompt_dependence_type_sink) {
    // Between iterations: after all that were posted, which is more than needed.
    static const char iterations = 0;
    if (type == ompt_dependence_type_source) {
      give_too(iterations);
    } else {
      take(iterations);
    }
    return;
  }
  const size_t bytes = static_cast<size_t>(count) * sizeof(ompt_dependence_t);
  task->needs = static_cast<ompt_dependence_t*>(allocate_memory(bytes));
  if (task->needs == nullptr) return;
  std::memcpy(task->needs, needs, bytes);
  task->need_count = count;
}

// Libomp uses a task's memory again without asking libc.
void record_task_memory() {
  if (task_memory == nullptr) return;
  void* memory = nullptr;
  size_t bytes = 0;
  task_memory(&memory, &bytes, 0);  // what it returns is whether there are more blocks
  if (memory != nullptr) record_block(memory, bytes);
}

bool is_over(ompt_task_status_t status) {
  return status == ompt_task_complete || status == ompt_task_cancel ||
         status == ompt_task_late_fulfill;
}

void on_task_schedule(ompt_data_t* before, ompt_task_status_t status, ompt_data_t* after) {
  Task* const prior = task_of(before);
  if (prior != nullptr && prior->started && is_over(status)) {
    end(*prior);
    before->ptr = nullptr;
    forget_children(*prior, false);
    record_task_memory();
    release(prior);
  } else if (prior != nullptr && status == ompt_taskwait_complete) {
    begin(*prior);  // a taskwait with dependences: a task without a body
    before->ptr = nullptr;
    release(prior);
    return;
  }
  Task* const next = task_of(after);
  const bool is_explicit = next != nullptr && next->parent != nullptr;
  if (is_explicit && !next->started) begin(*next);
}

void arrive(const char& barrier) {
  current_barrier = edge_of(&barrier);
  give_too(barrier);
}

void leave(Task& task, bool is_last) {
  if (current_barrier == 0) return;
  if (!is_last) record_sync(Kind::atomic_read, current_barrier);
  current_barrier = 0;
  ++task.barriers;
  forget_children(task, false);
}

void begin_group(Task& task) {
  auto* const group = allocate<Group>();
  if (group == nullptr) return;
  group->outer = task.group;
  group->users = 1;
  task.group = group;
}

void end_group(Task& task) {
  Group* const group = task.group;
  if (group == nullptr) return;
  take(group->end);
  task.group = group->outer;
  release(group);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                    ompt_data_t* data, const void* caller) {
  Task* const task = task_of(data);
  if (task == nullptr) return;
  const CallPlace place(caller);
  const bool begins = endpoint == ompt_scope_begin;
  switch (kind) {
    case ompt_sync_region_taskwait:
      if (!begins) forget_children(*task, true);
      return;
    case ompt_sync_region_taskgroup:
      return begins ? begin_group(*task) : end_group(*task);
    case ompt_sync_region_reduction:
      return;
    default:  // the barriers
      const bool is_last = kind == ompt_sync_region_barrier_implicit_parallel;
      if (!begins) return leave(*task, is_last);
      if (const Team* const team = team_of(parallel)) {
        arrive(is_last ? team->end : team->barriers[task->barriers % 2]);
      }
  }
}

// Libomp combines the threads' copies in an order of its own.
void on_reduction(ompt_sync_region_t, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
                  const void*) {
  if (endpoint == ompt_scope_begin) {
    ++self.ignoring;
  } else if (self.ignoring > 0) {
    --self.ignoring;
  }
}

// Libomp says that a lock was released when others can have it already. So
// whoever has got it waits until the one before has recorded the release.
struct Turn {
  std::atomic<uint64_t> lock;
  std::atomic<bool> taken;
};
constexpr uint64_t kTurns = 4096;
Turn turns[kTurns];

// Of locks that find no place any more the order of records may be wrong.
Turn* turn_of(uint64_t lock) {
  uint64_t place = (lock >> 3) * 0x9E3779B97F4A7C15 >> 52;
  static_assert(kTurns == uint64_t{1} << (64 - 52));
  for (uint64_t tries = 0; tries < kTurns; ++tries, place = (place + 1) % kTurns) {
    uint64_t there = turns[place].lock.load(std::memory_order_relaxed);
    if (there == lock) return &turns[place];
    if (there == 0 && turns[place].lock.compare_exchange_strong(there, lock)) return &turns[place];
    if (there == lock) return &turns[place];
  }
  return nullptr;
}

void begin_turn(uint64_t lock) {
  Turn* const turn = turn_of(lock);
  while (turn != nullptr && turn->taken.exchange(true, std::memory_order_acquire)) ::sched_yield();
}
void end_turn(uint64_t lock) {
  Turn* const turn = turn_of(lock);
  if (turn != nullptr) turn->taken.store(false, std::memory_order_release);
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t lock, const void* caller) {
  const CallPlace place(caller);
  begin_turn(lock);
  switch (kind) {
    case ompt_mutex_ordered:
      return record_sync(Kind::atomic_read, lock | edge_of(nullptr));
    case ompt_mutex_test_lock:
    case ompt_mutex_test_nest_lock:
      return record_sync(Kind::try_lock, lock);
    default:
      return record_sync(Kind::lock, lock);
  }
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t lock, const void* caller) {
  const CallPlace place(caller);
  if (kind == ompt_mutex_ordered) {
    record_sync(Kind::atomic_update, lock | edge_of(nullptr));
  } else {
    record_sync(Kind::unlock, lock);
  }
  end_turn(lock);
}

template <typename Function>
ompt_callback_t callback(Function* function) {
  return reinterpret_cast<ompt_callback_t>(function);
}

int start(ompt_function_lookup_t look_up, int, ompt_data_t*) {
  task_memory = reinterpret_cast<ompt_get_task_memory_t>(look_up("ompt_get_task_memory"));
  const auto set = reinterpret_cast<ompt_set_callback_t>(look_up("ompt_set_callback"));
  if (set == nullptr) return 0;
  set(ompt_callback_parallel_begin, callback(on_parallel_begin));
  set(ompt_callback_parallel_end, callback(on_parallel_end));
  set(ompt_callback_implicit_task, callback(on_implicit_task));
  set(ompt_callback_task_create, callback(on_task_create));
  set(ompt_callback_dependences, callback(on_dependences));
  set(ompt_callback_task_schedule, callback(on_task_schedule));
  set(ompt_callback_sync_region, callback(on_sync_region));
  set(ompt_callback_reduction, callback(on_reduction));
  set(ompt_callback_mutex_acquired, callback(on_mutex_acquired));
  set(ompt_callback_mutex_released, callback(on_mutex_released));
  return 1;
}

void finish(ompt_data_t*) {}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

// Libomp asks for its tool here, when the program uses it for the first time.
FORETRACE_INTERCEPT ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  if (!recording_on.load(std::memory_order_relaxed)) return nullptr;
  static ompt_start_tool_result_t tool = {start, finish, {0}};
  return &tool;
}
