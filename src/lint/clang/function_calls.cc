// FunctionBuilder: calls, constructors and destructors.
#include "lint/clang/function.h"
#include "lint/clang/library.h"

namespace foretrace::lint {

using namespace clang;

namespace {

// The lambda that is called, itself or by the name of a variable.
const LambdaExpr* lambda_of(const Expr* closure) {
  closure = bare(closure);
  const auto* reference = dyn_cast<DeclRefExpr>(closure);
  const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable != nullptr && variable->getInit() != nullptr) closure = bare(variable->getInit());
  return dyn_cast<LambdaExpr>(closure);
}

}  // namespace

void FunctionBuilder::locks(const LockActions& actions, SourceLocation where) {
  for (const LockAction& action : actions) {
    if (!action.lock.known()) continue;
    const bool wait = action.kind == LockAction::Kind::wait;
    if (action.kind != LockAction::Kind::acquire) {
      add(where, Release{action.lock, action.lock_kind, wait, action.if_held});
    }
    if (action.kind != LockAction::Kind::release) {
      add(where, Acquire{action.lock, action.shared, action.lock_kind, wait});
    }
  }
}

// What a promise and its future have in common; it goes where they are moved to.
void FunctionBuilder::make_state(const CXXConstructExpr* promise) {
  Path target = destination(promise);
  if (!target.known()) return;
  Value state;
  state.kind = Value::Kind::address_of;
  state.path = scope_.allocation(promise);
  function_.bindings.push_back({std::move(target), std::move(state)});
}

void FunctionBuilder::construct(const CXXConstructExpr* construct) {
  if (const auto site = Threads::spawn(construct)) {
    spawn(*site, construct);
    return;
  }
  const CXXConstructorDecl* constructor = construct->getConstructor();
  if (Locks::is_guard(construct->getType())) return;
  if (constructor->isCopyOrMoveConstructor() &&
      (is_library(constructor) || !constructor->isUserProvided())) {
    const Expr* from = construct->getArg(0);
    if (from->isLValue() && !Locks::is_synchronisation(from->getType()) &&
        !Threads::is_handle(from->getType()) &&
        !from->getType()->getAsCXXRecordDecl()->isLambda()) {
      read(construct, from);
    }
    return;
  }
  if (class_of(construct->getType()) == "std::promise") make_state(construct);
  if (is_library(constructor)) return;
  if (!constructor->isUserProvided() && !constructor->getParent()->hasInClassInitializer()) return;
  Call call;
  call.callee = names_.usr(constructor);
  call.name = Name(name_of(constructor));
  call.is_method = true;
  Path target = destination(construct);
  call.receiver.kind = Value::Kind::address_of;
  call.receiver.path = target.known() ? std::move(target) : scope_.temporary(construct);
  for (unsigned i = 0; i < construct->getNumArgs(); ++i) {
    const bool reference = i < constructor->getNumParams() &&
                           constructor->getParamDecl(i)->getType()->isReferenceType();
    call.arguments.push_back(scope_.argument(construct->getArg(i), reference));
    call.argument_is_const.push_back(true);
  }
  const uint32_t op = add(construct->getExprLoc(), std::move(call));
  scope_.set_call(construct, op);
  for (unsigned i = 0; i < construct->getNumArgs(); ++i) {
    flow_.use(block_, op, Flow::Sink::argument, i, construct->getArg(i));
  }
}

void FunctionBuilder::call(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr) {
    plain_call(call);
    return;
  }
  if (callee->getBuiltinID() != 0 && !is_library(callee) && callee->getNumParams() == 0) return;
  if (const auto site = Threads::spawn(call)) {
    spawn(*site, call);
    return;
  }
  if (const auto handle = threads_.join(call)) {
    if (handle->known()) add(call->getExprLoc(), Join{*handle});
    return;
  }
  LockActions actions;
  if (locks_.call(call, actions)) {
    locks(actions, call->getExprLoc());
    return;
  }
  if (!actions.empty()) {  // a wait, perhaps with a predicate
    // What it finds before it waits does not matter: it looks again afterwards.
    const llvm::ArrayRef<const Expr*> arguments = arguments_of(call);
    locks(actions, call->getExprLoc());
    call_closures(call, arguments.drop_front());
    return;
  }
  if (atomic_call(call)) return;
  if (passes_argument_on(call) || makes_function_pointer(call)) return;
  if (const Expr* receiver = receiver_of(call);
      receiver != nullptr && Locks::is_synchronisation(receiver->getType())) {
    // joinable() and the like; what changes such an object is none of the program's data. Of some
    // it matters who waits for whom (awaited.cc).
    const auto* method = dyn_cast<CXXMethodDecl>(callee);
    const bool signals =
        one_of(class_of(receiver->getType()),
               {"std::promise", "std::latch", "std::barrier", "std::counting_semaphore"});
    if (method != nullptr && !method->isConst() && !signals) return;
  }
  if (const auto* assignment = dyn_cast<CXXMethodDecl>(callee);
      assignment != nullptr && !assignment->isUserProvided() &&
      (assignment->isCopyAssignmentOperator() || assignment->isMoveAssignmentOperator())) {
    copy_objects(call);
    return;
  }
  plain_call(call);
}

// A structure that is assigned.
void FunctionBuilder::copy_objects(const CallExpr* call) {
  const Expr* target = receiver_of(call);
  const llvm::ArrayRef<const Expr*> arguments = arguments_of(call);
  if (target == nullptr || arguments.empty()) return;
  if (arguments[0]->isLValue()) read(call, arguments[0]);
  write(target, arguments[0], target->getExprLoc());
  scope_.bind(scope_.object(target), arguments[0]);
  if (const VarDecl* variable = base_variable(target)) {
    flow_.assign(block_, variable, arguments[0], !isa<DeclRefExpr>(bare(target)));
  }
}

void FunctionBuilder::plain_call(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  Call made;
  const Expr* receiver = receiver_of(call);
  const llvm::ArrayRef<const Expr*> arguments = arguments_of(call);
  const Expr* through = nullptr;
  if (callee != nullptr) {
    made.callee = names_.usr(callee);
    made.name = Name(name_of(callee));
    made.in_system_header = is_library(callee);
    if (const auto* method = dyn_cast<CXXMethodDecl>(callee)) {
      made.is_const = method->isConst();
      const auto* member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts());
      made.is_virtual = method->isVirtual() && !(member != nullptr && member->hasQualifier());
      if (made.in_system_header && method->getOverloadedOperator() == OO_Call) {
        through = receiver;  // std::function
        made.callee = {};
        if (method->isConst()) read(call, receiver);  // which function it is
      }
    }
  } else {
    through = call->getCallee();
    made.name = Name("a function pointer");
  }
  if (through != nullptr) made.through = scope_.value(through);
  const LambdaExpr* lambda = receiver != nullptr ? lambda_of(receiver) : nullptr;
  if (lambda != nullptr) made.through = scope_.value(lambda);  // what it has captured
  if (receiver != nullptr) {
    made.is_method = true;
    made.receiver = scope_.argument(receiver, !receiver->getType()->isPointerType());
  }
  const auto* type = callee != nullptr ? callee->getType()->getAs<FunctionProtoType>() : nullptr;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool declared = type != nullptr && i < type->getNumParams();
    const QualType parameter =
        declared ? type->getParamType(static_cast<unsigned>(i)) : arguments[i]->getType();
    const QualType pointee = parameter->getPointeeType();
    made.arguments.push_back(scope_.argument(
        arguments[i], parameter->isReferenceType() || (!declared && arguments[i]->isGLValue())));
    if (is_partitioned(bare(arguments[i]))) made.arguments.back().varies = true;
    made.argument_is_const.push_back(pointee.isNull() || pointee.isConstQualified() ||
                                     parameter->isRValueReferenceType() ||
                                     pointee->isFunctionType());
  }
  const uint32_t op = add(call->getExprLoc(), std::move(made));
  scope_.set_call(call, op);
  end_temporary_guard(call);
  if (receiver != nullptr) flow_.use(block_, op, Flow::Sink::receiver, 0, receiver);
  if (through != nullptr) flow_.use(block_, op, Flow::Sink::through, 0, through);
  if (lambda != nullptr) use_captures(op, lambda);
  for (size_t i = 0; i < arguments.size(); ++i) {
    flow_.use(block_, op, Flow::Sink::argument, i, arguments[i]);
    // Locals that it gets the address of may come back with something of the call.
    const bool changes =
        type == nullptr || i >= type->getNumParams() ||
        (!type->getParamType(static_cast<unsigned>(i))->getPointeeType().isNull() &&
         !type->getParamType(static_cast<unsigned>(i))->getPointeeType().isConstQualified());
    const Expr* argument = bare(arguments[i]);
    if (const auto* unary = dyn_cast<UnaryOperator>(argument);
        unary != nullptr && unary->getOpcode() == UO_AddrOf) {
      argument = unary->getSubExpr();
    }
    if (const VarDecl* variable = changes ? base_variable(argument) : nullptr) {
      flow_.assign_result(block_, variable, op);
    }
  }
  if (callee != nullptr && is_library(callee)) {
    const VarDecl* object = receiver != nullptr ? base_variable(receiver) : nullptr;
    if (object != nullptr && !arguments.empty()) {
      for (const Expr* argument : arguments) flow_.assign(block_, object, argument, true);
    }
    store_arguments(call);
    call_closures(call, arguments);
  }
}

// What a call returns, a lock with it, lives to the end of the whole expression.
void FunctionBuilder::end_temporary_guard(const CallExpr* call) {
  if (!Locks::has_guard(call->getType()) || !ends_with_statement(call)) return;
  const Stmt* whole = call;
  while (isa_and_nonnull<Expr>(parent(whole)) && !isa<ExprWithCleanups>(parent(whole))) {
    whole = parent(whole);
  }
  locks_.end_temporary(call, ending_with_[whole]);
}

void FunctionBuilder::use_captures(uint32_t op, const LambdaExpr* lambda) {
  size_t number = 0;
  for (const Expr* init : lambda->capture_inits()) {
    if (init != nullptr) flow_.use(block_, op, Flow::Sink::capture, number, init);
    ++number;
  }
}

// Containers and smart pointers keep what they are given.
void FunctionBuilder::store_arguments(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  const auto* method = dyn_cast<CXXMethodDecl>(callee);
  const Expr* receiver = receiver_of(call);
  if (receiver == nullptr || method == nullptr || method->isConst()) return;
  Path target =
      receiver->getType()->isPointerType() ? scope_.pointee(receiver) : scope_.object(receiver);
  if (!target.known()) return;
  const llvm::StringRef name =
      method->getIdentifier() != nullptr ? method->getName() : llvm::StringRef();
  const bool whole = method->getOverloadedOperator() == OO_Equal || name == "reset";
  if (!whole && method->getOverloadedOperator() != OO_None) return;
  if (!whole) target.steps.push_back({Step::Kind::element, {}});
  for (const Expr* argument : arguments_of(call)) scope_.bind(target, argument);
}

// A library function that gets a closure calls it, as far as we know here and now.
// Not so std::call_once: what it does is done before all who come after it.
void FunctionBuilder::call_closures(const CallExpr* call, llvm::ArrayRef<const Expr*> arguments) {
  const FunctionDecl* callee = call->getDirectCallee();
  const std::string name = callee != nullptr ? name_of(callee) : std::string();
  if (name == "std::call_once") return;
  const auto* method = dyn_cast_or_null<CXXMethodDecl>(callee);
  const bool wait = method != nullptr && method->getIdentifier() != nullptr &&
                    method->getName().starts_with("wait");
  // Containers keep it; std::ranges::sort and the like are objects.
  if (method != nullptr && !wait && !llvm::StringRef(name).starts_with("std::ranges::")) return;
  for (const Expr* argument : arguments) {
    const Expr* plain = bare(argument);
    const CXXRecordDecl* record = plain->getType()->getAsCXXRecordDecl();
    const FunctionDecl* named = function_of(argument);
    Call made;
    if (record != nullptr && record->isLambda()) {
      named = record->getLambdaCallOperator();
      made.name = Name("a lambda");
      made.through = scope_.value(argument);
      if (made.through.kind == Value::Kind::other) continue;
    } else if (named != nullptr && !is_library(named)) {
      made.callee = names_.usr(named);
      made.name = Name(name_of(named));
    } else {
      continue;
    }
    give_element(named, arguments, made);
    add(plain->getBeginLoc(), std::move(made));
  }
}

// What an algorithm calls for each element gets one: for_each(v.begin(), v.end(), f).
void FunctionBuilder::give_element(const FunctionDecl* called,
                                   llvm::ArrayRef<const Expr*> arguments, Call& call) {
  const auto* method = call.callee.empty() ? nullptr : dyn_cast<CXXMethodDecl>(called);
  call.is_method = method != nullptr && !method->isStatic();
  if (arguments.size() < 2 || (called->getNumParams() != 1 && !call.is_method)) return;
  Value element = scope_.value(arguments[0]);
  if (!content_of(arguments[0]->getType()).isNull() && arguments[0]->isGLValue()) {
    element = scope_.argument(arguments[0], true);  // a range
    element.path.steps.push_back({Step::Kind::element, {}});
  }
  if (element.kind != Value::Kind::address_of || element.path.steps.empty() ||
      element.path.steps.back().kind != Step::Kind::element) {
    return;
  }
  if (call.is_method) {
    call.is_const = method->isConst();
    call.is_virtual = method->isVirtual();
    call.receiver = std::move(element);
    return;
  }
  const QualType parameter = called->getParamDecl(0)->getType();
  if (!parameter->isReferenceType()) element.kind = Value::Kind::value_of;
  call.arguments.push_back(std::move(element));
  call.argument_is_const.push_back(!parameter->isReferenceType() ||
                                   parameter->getPointeeType().isConstQualified());
}

void FunctionBuilder::destructor(const CXXDestructorDecl* destructor, Value receiver,
                                 SourceLocation where) {
  if (destructor == nullptr || is_library(destructor) || !destructor->isUserProvided()) return;
  Call call;
  call.callee = names_.usr(destructor);
  call.name = Name(name_of(destructor));
  call.is_method = true;
  call.is_virtual = destructor->isVirtual();
  call.receiver = std::move(receiver);
  add(where, std::move(call));
}

void FunctionBuilder::end_of(const VarDecl* variable, SourceLocation where) {
  LockActions actions;
  if (locks_.destroy(variable, actions)) {
    locks(actions, where);
    return;
  }
  if (Threads::joins_at_end(variable->getType())) {
    Path handle = scope_.variable(variable);
    const std::string name = class_of(variable->getType());
    if (name != "std::jthread" && name != "std::future") {
      handle.steps.push_back({Step::Kind::element, {}});
    }
    add(where, Join{std::move(handle)});
    return;
  }
  const CXXRecordDecl* record = variable->getType()->getAsCXXRecordDecl();
  if (record == nullptr || is_library(record)) return;
  Value receiver;
  receiver.kind = Value::Kind::address_of;
  receiver.path = scope_.variable(variable);
  destructor(record->getDestructor(), std::move(receiver), where);
}

}  // namespace foretrace::lint
