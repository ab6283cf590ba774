// Locks: guards, and what becomes of them. A guard can be a variable, in a std::optional or
// std::unique_ptr, a member of an object, or what a function returns.
#include <algorithm>

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "lint/clang/library.h"
#include "lint/clang/locks.h"
#include "lint/transactions.h"

namespace foretrace::lint {

using namespace clang;

namespace {

bool is_scoped_lockable(QualType type) {
  const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->hasAttr<ScopedLockableAttr>();
}

const VarDecl* variable_named(const Expr* expression) {
  const auto* reference = dyn_cast<DeclRefExpr>(bare(expression));
  return reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

LockAction released(LockAction action, bool if_held) {
  action.kind = LockAction::Kind::release;
  action.if_held = if_held;
  return action;
}

// What is in a std::optional or std::unique_ptr.
QualType content_of_holder(QualType type) {
  const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (special == nullptr || !one_of(class_of(type), {"std::optional", "std::unique_ptr"})) {
    return {};
  }
  const TemplateArgument& argument = special->getTemplateArgs().get(0);
  return argument.getKind() == TemplateArgument::Type ? argument.getAsType() : QualType();
}

Path mutex_in(Path guard) {
  if (!guard.known()) return {};
  guard.steps.push_back({Step::Kind::field, Name(kMutexOfGuard)});
  guard.steps.push_back({Step::Kind::deref, Name("<mutex>")});
  return guard;
}

}  // namespace

bool Locks::is_standard_guard(llvm::StringRef name) {
  return one_of(name, {"std::lock_guard", "std::scoped_lock", "std::unique_lock",
                       "std::shared_lock", "QMutexLocker", "QReadLocker", "QWriteLocker"});
}

bool Locks::is_guard(QualType type) {
  return is_standard_guard(class_of(type)) || is_scoped_lockable(type);
}

bool Locks::is_guard_holder(QualType type) {
  const QualType content = content_of_holder(type);
  return !content.isNull() && is_standard_guard(class_of(content));
}

// A class whose end is the end of a guard in it.
std::vector<const FieldDecl*> Locks::guards_in(QualType type) {
  const CXXRecordDecl* record = type->isReferenceType() ? nullptr : type->getAsCXXRecordDecl();
  std::vector<const FieldDecl*> found;
  if (record == nullptr || is_library(record) || !record->hasDefinition() || is_guard(type)) {
    return found;
  }
  if (const CXXDestructorDecl* end = record->getDestructor(); end != nullptr) {
    if (end->isUserProvided()) return found;
  }
  for (const FieldDecl* field : record->fields()) {
    if (is_standard_guard(class_of(field->getType())) && field->getType()->isRecordType()) {
      found.push_back(field);
    }
  }
  return found;
}

bool Locks::has_guard(QualType type) {
  return !type->isReferenceType() && !type->isPointerType() &&
         (is_guard(type) || is_guard_holder(type) || !guards_in(type).empty());
}

const VarDecl* Locks::guard_variable(const Expr* guard) {
  // In a holder: guard->unlock().
  const auto* call = dyn_cast<CXXOperatorCallExpr>(bare(guard));
  if (call != nullptr && call->getNumArgs() > 0 && is_guard_holder(call->getArg(0)->getType())) {
    return variable_named(call->getArg(0));
  }
  return variable_named(guard);
}

const Locks::Guard* Locks::known_guard(const Expr* guard) const {
  const VarDecl* variable = guard_variable(guard);
  const auto found = guards_.find(variable);
  return variable != nullptr && found != guards_.end() ? &found->second : nullptr;
}

// The lock of a guard that is no local variable of this function.
Path Locks::mutex_of_guard(const Expr* guard) { return mutex_in(scope_.object(guard)); }

bool Locks::guard_method(const CallExpr* call, llvm::StringRef method, LockActions& actions) {
  const Expr* guard = receiver_of(call);
  if (call->getDirectCallee()->getOverloadedOperator() == OO_Equal) {
    assign(guard, arguments_of(call)[0], actions);
    return true;
  }
  const Guard* known = known_guard(guard);
  LockActions locks = known != nullptr ? known->locks : LockActions{};
  if (known == nullptr) {
    locks.push_back({LockAction::Kind::acquire, mutex_of_guard(guard),
                     class_of(guard->getType()) == "std::shared_lock", LockKind::mutex});
  }
  if (one_of(method, {"lock", "relock"})) {
    actions.insert(actions.end(), locks.begin(), locks.end());
  } else if (method == "unlock") {
    for (const LockAction& lock : locks) {
      actions.push_back(released(lock, known != nullptr && known->assigned));
    }
  } else if (method.starts_with("try_lock") && !locks.empty()) {
    tries_[call] = {locks[0].lock, locks[0].shared, true};
  } else if (method == "release" && known != nullptr) {
    guards_[guard_variable(guard)].locks.clear();  // the lock stays; the guard forgets it
  }
  return true;
}

// std::optional's and std::unique_ptr's methods.
bool Locks::holder_method(const CallExpr* call, llvm::StringRef method, LockActions& actions) {
  const Expr* holder = receiver_of(call);
  const VarDecl* variable = variable_named(holder);
  if (variable == nullptr) return true;
  if (call->getDirectCallee()->getOverloadedOperator() == OO_Equal) {
    assign(holder, arguments_of(call)[0], actions);
  } else if (one_of(method, {"emplace", "reset"})) {
    end_locks(guards_[variable], actions);
    if (method == "reset") return true;
    add_locks(guards_[variable],
              standard_guard(content_of_holder(holder->getType()), arguments_of(call), actions));
  }
  return true;
}

void Locks::end_locks(const Guard& guard, LockActions& actions) {
  for (const LockAction& lock : guard.locks) {
    actions.push_back(released(lock, !guard.adopts || guard.assigned));
  }
}

// A guard that is given another lock may have this or the other, later on.
void Locks::add_locks(Guard& guard, const Guard& more) {
  for (const LockAction& lock : more.locks) {
    if (std::none_of(guard.locks.begin(), guard.locks.end(),
                     [&](const LockAction& known) { return known.lock == lock.lock; })) {
      guard.locks.push_back(lock);
    }
  }
  guard.assigned = true;
}

void Locks::assign(const Expr* guard, const Expr* from, LockActions& actions) {
  const VarDecl* variable = variable_named(guard);
  if (variable == nullptr) return;
  end_locks(guards_[variable], actions);
  if (const auto made = made_by(from, actions)) add_locks(guards_[variable], *made);
}

// The guard that an expression makes or passes on; what it takes is appended.
std::optional<Locks::Guard> Locks::made_by(const Expr* init, LockActions& actions) {
  const Expr* plain = bare(init);
  if (const Guard* from = known_guard(plain)) return *from;
  if (const auto* construct = dyn_cast<CXXConstructExpr>(plain)) {
    const llvm::ArrayRef<const Expr*> arguments = arguments_of(construct);
    const QualType type = construct->getType();
    if (construct->getConstructor()->isCopyOrMoveConstructor()) {
      return made_by(arguments[0], actions);
    }
    if (is_standard_guard(class_of(type))) return standard_guard(type, arguments, actions);
    if (!is_guard_holder(type)) return std::nullopt;
    if (arguments.empty()) return Guard();
    if (class_of(arguments[0]->getType()) == "std::in_place_t") {
      return standard_guard(content_of_holder(type), arguments.drop_front(), actions);
    }
    return made_by(arguments[0], actions);
  }
  if (const auto* call = dyn_cast<CallExpr>(plain)) return returned_by(call, actions);
  if (const auto* list = dyn_cast<InitListExpr>(plain)) {
    for (const Expr* part : list->inits()) {
      if (!has_guard(part->getType())) continue;
      if (auto made = made_by(part, actions)) return made;
    }
  }
  return std::nullopt;
}

std::optional<Locks::Guard> Locks::returned_by(const CallExpr* call, LockActions& actions) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr || !has_guard(call->getType())) return std::nullopt;
  if (one_of(name_of(callee), {"std::make_unique", "std::make_optional"})) {
    return standard_guard(content_of_holder(call->getType()), arguments_of(call), actions);
  }
  // What the function comes back with: see without_guard() in locksets.cc.
  const std::optional<uint32_t> op = scope_.call(call);
  if (!op) return std::nullopt;
  Guard guard;
  guard.locks.push_back({LockAction::Kind::acquire, mutex_in({Path::Root::result, *op, {}, {}}),
                         false, LockKind::mutex});
  return guard;
}

bool Locks::declare(const VarDecl* variable, LockActions& actions) {
  const QualType type = variable->getType();
  const Expr* init = variable->getInit();
  if (init == nullptr || !has_guard(type)) return false;
  const auto* construct = dyn_cast<CXXConstructExpr>(bare(init));
  if (const auto made = made_by(init, actions)) {
    guards_[variable] = *made;
    if (is_standard_guard(class_of(type))) {
      Path field = scope_.variable(variable);
      bind_mutex(std::move(field), *made);
    }
  } else if (is_scoped_lockable(type) && construct != nullptr) {
    LockActions taken;
    const Site site{nullptr, arguments_of(construct), scope_.variable(variable)};
    attributes(construct->getConstructor(), site, construct, taken);
    guards_[variable].locks = taken;
    actions.insert(actions.end(), taken.begin(), taken.end());
  } else if (construct != nullptr) {
    // Its constructor takes the locks of the guards in it.
    for (const FieldDecl* field : guards_in(type)) {
      Path guard = scope_.variable(variable);
      guard.steps.push_back({Step::Kind::field, scope_.names().field(field)});
      guards_[variable].locks.push_back(
          {LockAction::Kind::acquire, mutex_in(std::move(guard)), false, LockKind::mutex});
    }
  }
  return is_guard(type) || is_guard_holder(type);
}

// A member of an object that is made.
void Locks::initialise(const Path& field, const Expr* init, LockActions& actions) {
  LockActions taken;
  const auto made = made_by(init, taken);
  if (!made) return;
  bind_mutex(field, *made);
  for (LockAction lock : taken) {
    lock.lock = mutex_in(field);
    actions.push_back(std::move(lock));
  }
}

void Locks::destroy_member(const Path& field, LockActions& actions) {
  actions.push_back(released({LockAction::Kind::release, mutex_in(field)}, true));
}

// Functions that the guard is passed to find its lock so.
void Locks::bind_mutex(Path guard, const Guard& made) {
  if (made.locks.size() != 1) return;
  guard.steps.push_back({Step::Kind::field, Name(kMutexOfGuard)});
  Value mutex;
  mutex.kind = Value::Kind::address_of;
  mutex.path = made.locks[0].lock;
  scope_.function().bindings.push_back({std::move(guard), std::move(mutex)});
}

Locks::Guard Locks::standard_guard(QualType type, llvm::ArrayRef<const Expr*> arguments,
                                   LockActions& actions) {
  const bool shared = one_of(class_of(type), {"std::shared_lock", "QReadLocker"});
  Guard guard;
  bool takes = true;
  bool tries = false;
  for (const Expr* argument : arguments) {
    const std::string word = class_of(argument->getType());
    if (one_of(word, {"std::adopt_lock_t", "std::defer_lock_t", "std::try_to_lock_t"})) {
      takes = false;
      tries = word == "std::try_to_lock_t";
      guard.adopts = word == "std::adopt_lock_t";
    } else if (one_of(word, {"std::chrono::duration", "std::chrono::time_point"})) {
      takes = false;
      tries = true;
    } else if (argument->getType()->isPointerType()) {
      guard.locks.push_back(
          {LockAction::Kind::acquire, scope_.pointee(argument), shared, LockKind::mutex});
    } else if (argument->getType()->isRecordType()) {
      guard.locks.push_back(
          {LockAction::Kind::acquire, scope_.object(argument), shared, LockKind::mutex});
    }
  }
  if (takes) actions.insert(actions.end(), guard.locks.begin(), guard.locks.end());
  if (tries && !guard.locks.empty()) {
    guard.tried = {guard.locks[0].lock, shared, true};
    guard.has_tried = true;
  }
  return guard;
}

bool Locks::destroy(const VarDecl* variable, LockActions& actions) {
  if (variable->getName() == llvm::StringRef(kTransactionGuard)) {
    actions.push_back(
        {LockAction::Kind::release, transaction_lock(), false, LockKind::transaction});
    return true;
  }
  const auto found = guards_.find(variable);
  if (found == guards_.end()) return false;
  end_locks(found->second, actions);
  return true;
}

// The result has the lock; a variable gives it back all the same, at its end.
void Locks::give_away(const Expr* guard, LockActions& actions) {
  if (!has_guard(guard->getType())) return;
  const auto* copy = dyn_cast<CXXConstructExpr>(bare(guard));
  if (copy != nullptr && copy->getConstructor()->isCopyOrMoveConstructor()) guard = copy->getArg(0);
  if (const Guard* known = known_guard(guard)) {
    actions.insert(actions.end(), known->locks.begin(), known->locks.end());
  } else {
    made_by(guard, actions);
  }
}

// The end of what a call has returned and nobody keeps.
void Locks::end_temporary(const CallExpr* call, LockActions& actions) {
  LockActions none;
  if (const auto made = returned_by(call, none)) end_locks(*made, actions);
}

const TryLock* Locks::try_lock(const Expr* tested) const {
  if (const auto found = tries_.find(bare(tested)); found != tries_.end()) return &found->second;
  // `if (guard)` and `if (guard.owns_lock())`.
  const Expr* guard = bare(tested);
  if (const auto* call = dyn_cast<CallExpr>(guard)) guard = receiver_of(call);
  const Guard* known = guard != nullptr ? known_guard(guard) : nullptr;
  return known != nullptr && known->has_tried ? &known->tried : nullptr;
}

}  // namespace foretrace::lint
