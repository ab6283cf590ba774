// A program that does what a trace says, before it is written in a language.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "programs/complete.h"

namespace foretrace::programs {

// How the program's threads are kept together.
enum class Schedule {
  lockstep,  // the operations happen in the order of the trace
  free,      // nothing keeps them in order
  yield,     // free, and threads give way between operations
  sleep,     // free, and operations sleep until about their turn
};

// What an operation becomes, beyond what the trace says.
struct Action {
  Operation operation;
  int64_t written = 0;              // of writes and updates: the value
  std::optional<int64_t> expected;  // of reads: the value that the trace has
  // Of a read of a volatile: in a free program it waits until the location has at
  // least this value, which is what orders the thread after the writer.
  std::optional<int64_t> awaited;
  uint32_t resumes_at = 0;  // of a wait: the operation that ends it
  uint32_t notified = 0;    // of a wait: how many notifies of the lock came before its end
  uint32_t barrier = 0;     // of a barrier: in Program::barriers
  // Of a join: in a free program the thread may not have been forked yet.
  bool may_come_early = false;
  bool is_reacquire = false;  // an acq that only says that a wait is over
  std::string method;         // of a beg: the method that its unit is
};

// An operation, or a block that is begun by one and ended by another.
struct Statement {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  uint32_t first;
  uint32_t last = kNone;  // of a block
  std::vector<Statement> inside;
  bool is_block() const { return last != kNone; }
};

struct Program {
  struct Location {
    std::string name;
    bool plain = false;    // has rd or wr
    bool atomic = false;   // has operations that are not plain reads and writes
    bool updated = false;  // has vrmw
    bool wide = false;     // has values that an int cannot hold
    bool used() const { return plain || atomic; }
  };
  struct Lock {
    std::string name;
    std::string condition;  // what its waits wait for
    std::string notified;   // counts its notifies
    bool used = false;
    bool shared = false;            // has racq
    bool scoped = true;             // every section of it is a block
    bool waited = false;            // has wait
    bool notifies = false;          // has notify or notifyall
    bool notified_outside = false;  // by a thread that does not hold it
    bool many_waiters = false;      // two threads wait on it
  };
  struct Barrier {
    std::string name;
    size_t count;  // of threads
  };
  struct Object {
    std::string name;
    bool used = false;
  };
  struct Thread {
    std::string name;  // as the trace has it
    std::string function;
    std::string variable;
    bool exists = false;
    bool in_main = false;       // forked and joined by main, outside of blocks
    std::string started;        // says that it was forked, for a join that may come early
    bool joined_early = false;  // there is such a join
    std::vector<Statement> body;
  };

  std::vector<Action> actions;  // in the order of the trace
  std::vector<Location> locations;
  std::vector<Lock> locks;
  std::vector<Barrier> barriers;
  std::vector<Object> objects;
  std::vector<Thread> threads;
  ThreadId main = 0;
  const Symbols* symbols = nullptr;  // of the trace: for labels, sites and sets

  // An operation as Tiddle has it.
  std::string tiddle(const Operation& operation) const;
};

// The trace must have passed WellFormed; its symbols must outlive the program.
Program make_program(const Trace& trace);

}  // namespace foretrace::programs
