// What lint knows of a translation unit: plain data, no Clang. The front end
// (src/lint/clang) makes one summary per translation unit, in a process of its
// own; Program links them by USR; the analyses see nothing else of the source.
//
// A function is a control flow graph of *ops*: what it does to memory that others
// may see, to locks, to threads, and whom it calls. All objects are named by
// paths in the function's own words (its parameters, `this`, globals); a caller
// puts its own paths in their place (see substitute() in program.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lint/name.h"

namespace foretrace::lint {

struct Position {
  Name file;  // an absolute path
  uint32_t line = 0;
  uint32_t column = 0;
  friend bool operator==(const Position&, const Position&) = default;
  friend auto operator<=>(const Position&, const Position&) = default;
};

// ---------------------------------------------------------------------------
// Paths: which object

// One step from an object to another.
struct Step {
  enum class Kind : uint8_t {
    field,    // .name: a member of the object
    deref,    // *: what the pointer, reference or smart pointer refers to
    element,  // []: some element of the array or container; all elements are one
  };
  Kind kind = Kind::field;
  Name name;  // field: "Class::field"; deref and element: the type of what is reached
  // element: which one, if it can be said: "2", or the words of variables that keep their value,
  // with where they are declared. A help like the type.
  Name index = Name();
  // What helps is no part of what the step means.
  Name key() const { return kind == Kind::field ? name : Name(); }
  friend bool operator==(const Step& a, const Step& b) {
    return a.kind == b.kind && a.key() == b.key();
  }
  friend auto operator<=>(const Step& a, const Step& b) {
    return std::pair(a.kind, a.key()) <=> std::pair(b.kind, b.key());
  }
};

// Whether Step::index is a number.
bool is_constant(Name index);

// `account->balance` of a parameter is {parameter 0, deref "Account", field
// "Account::balance"}. References are pointers with a deref that one cannot see,
// and `this` is a pointer: `this->x`, or just `x`, is {self, deref, field x}.
struct Path {
  enum class Root : uint8_t {
    none,       // not known, or no object at all
    global,     // name: its USR. Static storage: globals, static members, static locals
    parameter,  // index: which one. The variable itself; by value it is the callee's own
    self,       // the pointer `this`
    capture,    // index: which capture of the lambda (or OpenMP region). By reference:
                // the next step is a deref
    local,      // index into Function::locals. Only locals whose address is taken
    heap,       // index: the allocation (new, malloc) in this function. The object itself
    result,     // index: the Call op (Op::id) whose result it is
  };
  Root root = Root::none;
  uint32_t index = 0;
  Name name;
  std::vector<Step> steps;

  bool known() const { return root != Root::none; }
  friend bool operator==(const Path&, const Path&) = default;
  friend auto operator<=>(const Path&, const Path&) = default;
};

// ---------------------------------------------------------------------------
// Values: what flows

// Where a value came from: a read or a call of the same function (the id of the
// op), or a parameter or capture of the function.
struct Token {
  enum class Kind : uint8_t { op, parameter, capture };
  Kind kind = Kind::op;
  uint32_t index = 0;  // Op::id, or which parameter or capture
  friend bool operator==(const Token&, const Token&) = default;
  friend auto operator<=>(const Token&, const Token&) = default;
};
using Tokens = std::vector<Token>;  // sorted, each once

// A value that is passed, stored or returned. Only as much of it as is needed to
// say what a pointer points to and which function is called.
struct Value {
  enum class Kind : uint8_t {
    other,       // a number, a computed value: only the tokens matter
    address_of,  // points to `path`; arguments of reference parameters are this
    value_of,    // a copy of what `path` contains
    function,    // the function `function`; for a closure `captures` is filled
  };
  Kind kind = Kind::other;
  Path path;
  Name function;                // USR
  std::vector<Value> captures;  // by number; address_of: by reference
  Tokens tokens;                // what flowed into it
  bool varies = false;  // &p[i], p + i: which element, a variable says; a number: the counter
                        // of the innermost loop, another one in each round
};

// ---------------------------------------------------------------------------
// Ops

enum class LockKind : uint8_t {
  mutex,
  // Any two transactions exclude each other: all have the same path, the global
  // kTransactionLock. FORETRACE_ATOMIC scopes and functions are transactions.
  transaction,
  // No lock: only one thread of an OpenMP team does it (single, master). Makes no block.
  once,
};
inline constexpr const char* kTransactionLock = "<transaction>";
// The field of a guard (std::unique_lock) that points to its mutex.
inline constexpr const char* kMutexOfGuard = "<guard>::mutex";

// A lock that is held at an op, as far as the function itself knows: on every
// path through the function to the op. Locks of callers come on top.
struct Held {
  Path lock;
  bool shared = false;  // held as a reader
  LockKind kind = LockKind::mutex;
  // Id of the acquire that began this region; kFromCaller if the function is
  // declared to need it (requires_capability, atomic functions by declaration).
  // Where paths meet that acquired it at different ops: the smallest id.
  uint32_t acquired_by = 0;
  // A caller's, that a call gave back and took again: held if that caller holds it. Program
  // fills it in.
  bool if_caller = false;
  friend bool operator==(const Held&, const Held&) = default;
  friend auto operator<=>(const Held&, const Held&) = default;
};
inline constexpr uint32_t kFromCaller = UINT32_MAX;

// A read or write of memory that others may see: globals, what pointers point
// to, locals whose address is taken. `x++` is a read and then a write.
// Ways to the object (`p` of `p->x`, if p is shared) are reads of their own, with
// `on_the_way` set: redundant for high-level anomalies, real for races.
struct Access {
  Path path;
  bool write = false;
  bool atomic = false;      // std::atomic, _Atomic, __atomic_… and __sync_… builtins
  bool on_the_way = false;  // only to get at something inside
  Name type;                // of the object that is accessed
  // Which element, by a number that only this thread has ("i" of an OpenMP loop whose rounds are
  // divided). Two threads that use the same words have different elements.
  Name element = Name();
  // The parameter or capture that the number is; then it counts only if each thread was given
  // another one. None: an OpenMP thread's own.
  Tokens number = {};
};

// Begins or ends a region under a lock. A condition variable's wait is a release
// and an acquire, both with `by_wait`: state is re-checked after it, or should be.
struct Acquire {
  Path lock;
  bool shared = false;
  LockKind kind = LockKind::mutex;
  bool by_wait = false;
};
struct Release {
  Path lock;
  LockKind kind = LockKind::mutex;
  bool by_wait = false;
  bool if_held = false;  // by the end of a guard, which may have given it back already
};

// A call. If Program has no body for `callee`, the models of libraries say what it
// does, or else a const method reads and a non-const method writes its object.
struct Call {
  Name callee;                    // USR; empty if called through a pointer
  Name name;                      // qualified, without parameters: "std::vector::push_back"
  bool is_virtual = false;        // overriding functions may be meant; see Function::overrides
  bool is_method = false;         // `receiver` is its object
  bool is_const = false;          // of a method
  bool in_system_header = false;  // declared there: it has no summary
  Value through;                  // the pointer or closure that is called, if callee is empty
  Value receiver;                 // `this`: address_of the object or value_of a pointer
  std::vector<Value> arguments;
  std::vector<bool> argument_is_const;  // by value, or reference or pointer to const
};

// Starts one or more threads.
struct Spawn {
  Value entry;                   // a function or closure; value_of a path if not known
  Value receiver;                // if the entry is a method
  std::vector<Value> arguments;  // of the entry
  bool many = false;             // several at once: a parallel region
  Path handle;                   // the thread object, or unknown: detached, never joined
  Name how;                      // "std::thread", "pthread_create", kTeam …
};
inline constexpr const char* kTeam = "omp parallel";
inline constexpr const char* kTask = "omp task";

// Waits for all threads of a handle: join(), future.get(), a jthread's end, the end
// of a parallel region. An `element` step in the handle: all that the loop joins.
struct Join {
  Path handle;
  bool own_only = false;  // only threads that this one has started itself: taskwait
};
// The handle of all OpenMP tasks.
inline constexpr const char* kTasks = "<omp tasks>";

// All threads of an OpenMP team come here before one goes on.
struct Barrier {};

// Returns a value; Function::returns has it too.
struct Return {
  Value value;
};

struct Op {
  uint32_t id = 0;  // unique in the function
  Position position;
  std::vector<Held> held;  // just before the op
  // Access (write): what flows into the written value. Acquire, Release, Join: none.
  // Calls have theirs in the arguments.
  Tokens uses;
  std::variant<Access, Acquire, Release, Call, Spawn, Join, Return, Barrier> what;

  template <typename T>
  T* as() {
    return std::get_if<T>(&what);
  }
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&what);
  }
};

// ---------------------------------------------------------------------------
// Functions

struct Block {
  std::vector<Op> ops;
  // Successors; for a branch first the block where the condition holds. Edges
  // that cannot be taken are left out.
  std::vector<uint32_t> next;
  // If it ends in a branch: what the condition depends on.
  Tokens condition;
  Position condition_position;
  // Blocks whose branches decide whether this one runs, directly or not; in order.
  std::vector<uint32_t> controlled_by;
  bool in_loop = false;
  bool throws = false;  // ends in a throw, or in a call that never returns
};

// A pointer that is stored: `target` may from then on hold `value`. Without order;
// for points-to. Fields and globals as well as locals.
struct Binding {
  Path target;
  Value value;
};

struct Parameter {
  std::string name;
  Name type;                 // without reference or pointer: "Account"
  bool is_indirect = false;  // a reference or pointer
};

struct Local {
  std::string name;
  Name type;
  Position position;
};

struct Allocation {
  Name type;  // of the object
  uint32_t block = 0;
  Position position;
};

struct Function {
  Name usr;
  std::string name;  // qualified, as a user would write it: "Bank::transfer"
  Name class_name;   // of a method
  Position position;
  bool is_main = false;
  bool is_constructor = false;
  bool is_destructor = false;
  bool is_const = false;
  bool is_lambda = false;       // or an OpenMP region
  bool is_external = false;     // other translation units can call it
  bool returns_object = false;  // of a class, by value
  Name enclosing;               // USR of the function that a lambda is written in
  // USRs of the virtual functions that it overrides; of an instance of a generic lambda, the
  // lambda's own, by which closures are named.
  std::vector<Name> overrides;
  std::vector<Parameter> parameters;
  std::vector<std::string> captures;  // their names
  std::vector<Local> locals;
  std::vector<Allocation> allocations;  // by the index of heap roots
  std::vector<Block> blocks;            // blocks[0] is the entry; the exit has no successor
  std::vector<Binding> bindings;
  std::vector<Value> returns;
  std::vector<Held> required;  // declared to be held by callers: requires_capability
  // Calls (Op::id) that give a lock back which was held before them, and locks that calls
  // come back with (the same one, perhaps). Like Op::held, Program fills these in.
  std::vector<std::pair<uint32_t, Path>> given_back;
  std::vector<Held> taken;
};

// The name of the closures that a function is the body of.
inline Name closure_of(const Function& function) {
  return function.is_lambda && !function.overrides.empty() ? function.overrides[0] : function.usr;
}

// A global variable, for messages and to find its initial value's pointers.
struct Global {
  Name usr;
  std::string name;  // qualified
  Name type;
  Position position;
  bool is_thread_local = false;
};

// A `// foretrace: ignore(rule)` or `ignore(rule, rule)` comment: findings of the
// rule that touch this line, or the next one if the comment stands alone, are left
// out. An empty rule (`// foretrace: ignore`) is every rule.
struct IgnoreComment {
  Name file;
  uint32_t line = 0;  // that it applies to
  std::string rule;
};

// ---------------------------------------------------------------------------
// Translation units

struct InputFile {
  std::string path;  // absolute
  uint64_t hash = 0;
  uint64_t lines = 0;  // 0 for system headers
};

struct Summary {
  std::string main_file;
  std::vector<InputFile> inputs;    // the file and all that it includes
  std::vector<std::string> errors;  // what Clang said, if it did not compile
  std::vector<Function> functions;
  std::vector<Global> globals;
  std::vector<Binding> bindings;  // of globals' initialisers
  std::vector<IgnoreComment> ignores;
};

// "bank.cpp:12:5", the file as the reports name it (relative if below this folder).
std::string to_string(const Position& position);

}  // namespace foretrace::lint
