// Which expressions take and give back locks, and which lock.
#pragma once

#include <string>
#include <vector>

#include "lint/clang/scope.h"

namespace foretrace::lint {

struct LockAction {
  enum class Kind { acquire, release, wait };
  Kind kind = Kind::acquire;
  Path lock;
  bool shared = false;
  LockKind lock_kind = LockKind::mutex;
  bool if_held = false;  // release: by a guard that may not have it
};
using LockActions = std::vector<LockAction>;

// A try_lock: the lock is held where its result is `success`.
struct TryLock {
  Path lock;
  bool shared = false;
  bool success = true;
};

class Locks {
 public:
  explicit Locks(Scope& scope) : scope_(scope) {}

  // True if the call is nothing but a lock operation, which is appended.
  bool call(const clang::CallExpr* call, LockActions& actions);
  // The same for a variable that is made: a guard.
  bool declare(const clang::VarDecl* variable, LockActions& actions);
  // And at its end.
  bool destroy(const clang::VarDecl* variable, LockActions& actions);
  // A member that is a guard, where its object is made and ends.
  void initialise(const Path& field, const clang::Expr* init, LockActions& actions);
  void destroy_member(const Path& field, LockActions& actions);
  // A guard that is returned.
  void give_away(const clang::Expr* guard, LockActions& actions);
  // A guard that a call returns and that ends with the expression.
  void end_temporary(const clang::CallExpr* call, LockActions& actions);
  // A call, or a guard that was made with std::try_to_lock and is now tested.
  const TryLock* try_lock(const clang::Expr* tested) const;
  // What the function's declaration says that callers hold.
  std::vector<Held> required(const clang::FunctionDecl* function);

  // Types whose accesses are none of the program's data: locks, guards, condition
  // variables, threads, atomics.
  static bool is_synchronisation(clang::QualType type);
  static bool is_guard(clang::QualType type);
  // Or something whose end is a guard's end.
  static bool has_guard(clang::QualType type);
  // That all transactions hold.
  static Path transaction_lock() { return {Path::Root::global, 0, Name(kTransactionLock), {}}; }

 private:
  struct Guard {
    LockActions locks;  // that it takes and gives back
    TryLock tried;
    bool has_tried = false;
    bool adopts = false;    // a lock that was taken before, perhaps by a caller
    bool assigned = false;  // it may have one of the locks, or another
  };
  struct Site {  // a call with attributes: what its parameters are
    const clang::Expr* receiver = nullptr;
    llvm::ArrayRef<const clang::Expr*> arguments;
    Path self;  // if there is no receiver expression
  };

  bool guard_method(const clang::CallExpr* call, llvm::StringRef method, LockActions& actions);
  bool wait(const clang::CallExpr* call, const std::string& name, LockActions& actions);
  bool c_function(const clang::CallExpr* call, llvm::StringRef name, LockActions& actions);
  bool mutex_method(const clang::CallExpr* call, llvm::StringRef method, LockActions& actions);
  bool attributes(const clang::FunctionDecl* callee, const Site& site, const clang::Expr* call,
                  LockActions& actions);
  template <typename Attribute>
  LockActions locks_of(const Attribute* attribute, const Site& site, LockAction::Kind kind,
                       bool shared);
  Path attribute_lock(const clang::Expr* expression, const Site& site);

  // guards.cc
  static bool is_standard_guard(llvm::StringRef name);
  static bool is_guard_holder(clang::QualType type);
  static std::vector<const clang::FieldDecl*> guards_in(clang::QualType type);
  static const clang::VarDecl* guard_variable(const clang::Expr* guard);
  bool holder_method(const clang::CallExpr* call, llvm::StringRef method, LockActions& actions);
  void assign(const clang::Expr* guard, const clang::Expr* from, LockActions& actions);
  static void end_locks(const Guard& guard, LockActions& actions);
  static void add_locks(Guard& guard, const Guard& more);
  std::optional<Guard> made_by(const clang::Expr* init, LockActions& actions);
  std::optional<Guard> returned_by(const clang::CallExpr* call, LockActions& actions);
  Guard standard_guard(clang::QualType type, llvm::ArrayRef<const clang::Expr*> arguments,
                       LockActions& actions);
  void bind_mutex(Path guard, const Guard& made);
  Path mutex_of_guard(const clang::Expr* guard);
  const Guard* known_guard(const clang::Expr* guard) const;

  Scope& scope_;
  llvm::DenseMap<const clang::VarDecl*, Guard> guards_;
  llvm::DenseMap<const clang::Expr*, TryLock> tries_;
};

}  // namespace foretrace::lint
