#include "lint/clang/locks.h"

#include <algorithm>
#include <initializer_list>

#include "clang/AST/Attr.h"
#include "lint/clang/library.h"
#include "lint/transactions.h"

namespace foretrace::lint {

using namespace clang;

namespace {

bool is_mutex(llvm::StringRef name) {
  return one_of(name, {"std::mutex", "std::recursive_mutex", "std::timed_mutex",
                       "std::recursive_timed_mutex", "std::shared_mutex", "std::shared_timed_mutex",
                       "QMutex", "QRecursiveMutex", "QReadWriteLock"});
}

}  // namespace

bool Locks::is_synchronisation(QualType type) {
  type = type.getNonReferenceType();
  while (type->isArrayType()) type = QualType(type->getArrayElementTypeNoTypeQual(), 0);
  if (!type->getPointeeType().isNull()) return false;  // a pointer to one is data
  const std::string name = class_of(type);
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record != nullptr && (record->hasAttr<CapabilityAttr>() || is_guard(type))) return true;
  return is_mutex(name) || one_of(name, {"std::condition_variable",
                                         "std::condition_variable_any",
                                         "std::thread",
                                         "std::jthread",
                                         "std::once_flag",
                                         "std::atomic",
                                         "std::atomic_flag",
                                         "std::atomic_ref",
                                         "std::barrier",
                                         "std::latch",
                                         "std::counting_semaphore",
                                         "std::future",
                                         "std::shared_future",
                                         "std::promise",
                                         "std::stop_source",
                                         "std::stop_token",
                                         "pthread_mutex_t",
                                         "pthread_rwlock_t",
                                         "pthread_spinlock_t",
                                         "pthread_cond_t",
                                         "pthread_t",
                                         "pthread_barrier_t",
                                         "pthread_once_t",
                                         "mtx_t",
                                         "omp_lock_t",
                                         "omp_nest_lock_t",
                                         "cnd_t",
                                         "thrd_t",
                                         "sem_t",
                                         "QWaitCondition",
                                         "QSemaphore",
                                         "QThread",
                                         "QFuture"});
}

bool Locks::call(const CallExpr* call, LockActions& actions) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr) return false;
  const llvm::StringRef method =
      callee->getIdentifier() != nullptr ? callee->getName() : llvm::StringRef();
  if (const Expr* receiver = receiver_of(call)) {
    const std::string class_name = class_of(receiver->getType());
    if (is_standard_guard(class_name)) return guard_method(call, method, actions);
    if (is_guard_holder(receiver->getType())) return holder_method(call, method, actions);
    if (is_mutex(class_name)) return mutex_method(call, method, actions);
    if (wait(call, class_name, actions)) return false;  // its predicate is called
  } else if (c_function(call, method, actions)) {
    return true;
  }
  Site site{receiver_of(call), arguments_of(call), {}};
  return attributes(callee, site, call, actions);
}

bool Locks::mutex_method(const CallExpr* call, llvm::StringRef method, LockActions& actions) {
  const Path lock = scope_.object(receiver_of(call));
  const bool shared = one_of(method, {"lock_shared", "try_lock_shared", "try_lock_shared_for",
                                      "try_lock_shared_until", "lockForRead", "tryLockForRead"});
  if (one_of(method, {"lock", "lock_shared", "lockForRead", "lockForWrite"})) {
    actions.push_back({LockAction::Kind::acquire, lock, shared, LockKind::mutex});
  } else if (one_of(method, {"unlock", "unlock_shared"})) {
    actions.push_back({LockAction::Kind::release, lock, shared, LockKind::mutex});
  } else if (method.starts_with("try")) {
    tries_[call] = {lock, shared, true};
  }
  return true;
}

// A wait gives the lock back and takes it again.
bool Locks::wait(const CallExpr* call, const std::string& name, LockActions& actions) {
  if (!one_of(name, {"std::condition_variable", "std::condition_variable_any", "QWaitCondition"})) {
    return false;
  }
  const FunctionDecl* callee = call->getDirectCallee();
  if (callee->getIdentifier() == nullptr || !callee->getName().starts_with("wait")) return false;
  const Expr* lock = call->getNumArgs() > 0 ? call->getArg(0) : nullptr;
  if (lock == nullptr) return false;
  if (const Guard* known = known_guard(lock)) {
    for (LockAction action : known->locks) {
      action.kind = LockAction::Kind::wait;
      actions.push_back(action);
    }
  } else {
    const Path path = name == "QWaitCondition"    ? scope_.pointee(lock)
                      : is_guard(lock->getType()) ? mutex_of_guard(lock)
                                                  : scope_.object(lock);
    actions.push_back({LockAction::Kind::wait, path, false, LockKind::mutex});
  }
  return true;
}

bool Locks::c_function(const CallExpr* call, llvm::StringRef name, LockActions& actions) {
  if (name == llvm::StringRef(kTransactionBegin)) {
    actions.push_back(
        {LockAction::Kind::acquire, Locks::transaction_lock(), false, LockKind::transaction});
    return true;
  }
  const auto act = [&](unsigned argument, LockAction::Kind kind, bool shared) {
    if (argument >= call->getNumArgs()) return false;
    actions.push_back({kind, scope_.pointee(call->getArg(argument)), shared, LockKind::mutex});
    return true;
  };
  if (one_of(name, {"pthread_mutex_lock", "pthread_spin_lock", "pthread_rwlock_wrlock", "mtx_lock",
                    "omp_set_lock", "omp_set_nest_lock"})) {
    return act(0, LockAction::Kind::acquire, false);
  }
  if (name == "pthread_rwlock_rdlock") return act(0, LockAction::Kind::acquire, true);
  if (one_of(name, {"pthread_mutex_unlock", "pthread_spin_unlock", "pthread_rwlock_unlock",
                    "mtx_unlock", "omp_unset_lock", "omp_unset_nest_lock"})) {
    return act(0, LockAction::Kind::release, false);
  }
  if (one_of(name, {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
                    "cnd_wait", "cnd_timedwait"})) {
    return act(1, LockAction::Kind::wait, false);
  }
  if (one_of(name,
             {"pthread_mutex_trylock", "pthread_mutex_timedlock", "pthread_spin_trylock",
              "pthread_rwlock_trywrlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_tryrdlock",
              "pthread_rwlock_timedrdlock", "mtx_trylock", "mtx_timedlock"}) &&
      call->getNumArgs() > 0) {
    tries_[call] = {scope_.pointee(call->getArg(0)), name.contains("rdlock"), false};
    return true;
  }
  if (one_of(name, {"omp_test_lock", "omp_test_nest_lock"}) && call->getNumArgs() > 0) {
    tries_[call] = {scope_.pointee(call->getArg(0)), false, true};
    return true;
  }
  const FunctionDecl* callee = call->getDirectCallee();
  if (name == "lock" && callee->isInStdNamespace()) {
    for (const Expr* mutex : arguments_of(call)) {
      const Guard* guard = known_guard(mutex);
      if (guard != nullptr) {
        actions.insert(actions.end(), guard->locks.begin(), guard->locks.end());
      } else {
        actions.push_back(
            {LockAction::Kind::acquire, scope_.object(mutex), false, LockKind::mutex});
      }
    }
    return true;
  }
  return one_of(
      name, {"pthread_mutex_init", "pthread_mutex_destroy", "pthread_rwlock_init",
             "pthread_rwlock_destroy", "pthread_spin_init", "pthread_cond_init",
             "pthread_cond_destroy", "pthread_cond_signal", "pthread_cond_broadcast", "mtx_init",
             "mtx_destroy", "cnd_init", "cnd_signal", "cnd_broadcast", "omp_init_lock",
             "omp_destroy_lock", "omp_init_nest_lock", "omp_destroy_nest_lock"});
}

// ---------------------------------------------------------------------------
// Clang's thread-safety attributes

Path Locks::attribute_lock(const Expr* expression, const Site& site) {
  expression = bare(expression);
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
    const auto* parameter = dyn_cast<ParmVarDecl>(reference->getDecl());
    if (parameter != nullptr && parameter->getFunctionScopeIndex() < site.arguments.size()) {
      const Expr* argument = site.arguments[parameter->getFunctionScopeIndex()];
      return parameter->getType()->isPointerType() ? scope_.pointee(argument)
                                                   : scope_.object(argument);
    }
  }
  if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
    return attribute_lock(unary->getSubExpr(), site);  // & and *: a pointer means what it points to
  }
  if (const auto* member = dyn_cast<MemberExpr>(expression)) {
    const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (field != nullptr) {
      const bool own = isa<CXXThisExpr>(bare(member->getBase()));
      Path path = !own                       ? attribute_lock(member->getBase(), site)
                  : site.receiver == nullptr ? site.self
                  : site.receiver->getType()->isPointerType() ? scope_.pointee(site.receiver)
                                                              : scope_.object(site.receiver);
      if (!path.known()) return {};
      path.steps.push_back({Step::Kind::field, scope_.names().field(field)});
      if (field->getType()->isPointerType() || field->getType()->isReferenceType()) {
        path.steps.push_back(
            {Step::Kind::deref, scope_.names().type(field->getType()->getPointeeType())});
      }
      return path;
    }
  }
  return scope_.object(expression);
}

template <typename Attribute>
LockActions Locks::locks_of(const Attribute* attribute, const Site& site, LockAction::Kind kind,
                            bool shared) {
  LockActions locks;
  for (const Expr* argument : attribute->args()) {
    locks.push_back({kind, attribute_lock(argument, site), shared, LockKind::mutex});
  }
  if (!locks.empty()) return locks;
  // Without arguments it is the object itself that is the lock, or the guard.
  if (site.receiver != nullptr) {
    if (const Guard* guard = known_guard(site.receiver)) {
      for (LockAction lock : guard->locks) {
        lock.kind = kind;
        locks.push_back(lock);
      }
      return locks;
    }
    const Path own = site.receiver->getType()->isPointerType() ? scope_.pointee(site.receiver)
                                                               : scope_.object(site.receiver);
    locks.push_back({kind, own, shared, LockKind::mutex});
  }
  return locks;
}

bool Locks::attributes(const FunctionDecl* callee, const Site& site, const Expr* call,
                       LockActions& actions) {
  if (!callee->hasAttrs()) return false;
  bool any = false;
  const auto add = [&](LockActions locks) {
    any = true;
    actions.insert(actions.end(), locks.begin(), locks.end());
  };
  for (const auto* attribute : callee->specific_attrs<ReleaseCapabilityAttr>()) {
    add(locks_of(attribute, site, LockAction::Kind::release, attribute->isShared()));
  }
  for (const auto* attribute : callee->specific_attrs<AcquireCapabilityAttr>()) {
    add(locks_of(attribute, site, LockAction::Kind::acquire, attribute->isShared()));
  }
  for (const auto* attribute : callee->specific_attrs<TryAcquireCapabilityAttr>()) {
    any = true;
    const LockActions locks =
        locks_of(attribute, site, LockAction::Kind::acquire, attribute->isShared());
    bool success = true;
    attribute->getSuccessValue()->EvaluateAsBooleanCondition(success, scope_.names().context());
    if (!locks.empty()) tries_[call] = {locks[0].lock, locks[0].shared, success};
  }
  return any;
}

std::vector<Held> Locks::required(const FunctionDecl* function) {
  std::vector<Held> held;
  if (!function->hasAttrs()) return held;
  for (const auto* attribute : function->specific_attrs<RequiresCapabilityAttr>()) {
    for (const Expr* argument : attribute->args()) {
      // In the function's own words: its parameters and `this` are what they are.
      Path lock = scope_.object(bare(argument));
      if (bare(argument)->getType()->isPointerType()) lock = scope_.pointee(argument);
      if (lock.known()) {
        held.push_back({std::move(lock), attribute->isShared(), LockKind::mutex, kFromCaller});
      }
    }
  }
  return held;
}

}  // namespace foretrace::lint
