// FunctionBuilder: what the single expressions do.
#include "clang/AST/StmtOpenMP.h"
#include "lint/clang/function.h"
#include "lint/clang/library.h"

namespace foretrace::lint {

using namespace clang;

void FunctionBuilder::statement(const Stmt* statement) {
  if (const auto* cast = dyn_cast<ImplicitCastExpr>(statement)) {
    if (cast->getCastKind() == CK_LValueToRValue) read(cast, cast->getSubExpr());
  } else if (const auto* binary = dyn_cast<BinaryOperator>(statement)) {
    if (binary->isAssignmentOp()) assignment(binary);
  } else if (const auto* unary = dyn_cast<UnaryOperator>(statement)) {
    if (unary->isIncrementDecrementOp()) {
      read(unary, unary->getSubExpr());
      write(unary->getSubExpr(), unary, unary->getExprLoc());
    }
  } else if (const auto* declared = dyn_cast<DeclStmt>(statement)) {
    for (const Decl* decl : declared->decls()) {
      if (const auto* variable = dyn_cast<VarDecl>(decl)) declaration(variable);
    }
  } else if (const auto* atomic = dyn_cast<AtomicExpr>(statement)) {
    atomic_builtin(atomic);
  } else if (const auto* called = dyn_cast<CallExpr>(statement)) {
    call(called);
  } else if (const auto* made = dyn_cast<CXXConstructExpr>(statement)) {
    construct(made);
  } else if (const auto* result = dyn_cast<ReturnStmt>(statement)) {
    returned(result);
  } else if (const auto* directive = dyn_cast<OMPExecutableDirective>(statement)) {
    region(directive);
  }
}

// ---------------------------------------------------------------------------
// Accesses

void FunctionBuilder::read(const Expr* load, const Expr* object) {
  const Path path = scope_.object(object);
  if (!visible(path, object) || belongs_to_round(object)) return;
  Access access{path, false, object->getType()->isAtomicType(), on_the_way(load),
                names_.type(object->getType())};
  flow_.read(load, add(object->getExprLoc(), std::move(access)));
}

void FunctionBuilder::write(const Expr* object, const Expr* from, SourceLocation where) {
  const Path path = scope_.object(object);
  if (visible(path, object) && !belongs_to_round(object)) {
    Access access{path, true, object->getType()->isAtomicType(), false,
                  names_.type(object->getType())};
    const uint32_t op = add(where, std::move(access));
    flow_.use(block_, op, Flow::Sink::uses, 0, from);
  }
}

void FunctionBuilder::assignment(const BinaryOperator* assignment) {
  const Expr* target = assignment->getLHS();
  const bool compound = assignment->isCompoundAssignmentOp();
  if (compound) read(assignment, target);
  write(target, compound ? static_cast<const Expr*>(assignment) : assignment->getRHS(),
        target->getExprLoc());
  if (const VarDecl* variable = base_variable(target)) {
    const bool whole = isa<DeclRefExpr>(bare(target));
    flow_.assign(block_, variable, assignment->getRHS(), compound || !whole);
  }
  if (!compound) bind(scope_.object(target), assignment->getRHS());
}

void FunctionBuilder::bind(const Path& target, const Expr* from) {
  if (!target.known() || from == nullptr) return;
  const QualType type = from->getType();
  if (!type->isAnyPointerType() && !type->isRecordType() && !type->isMemberPointerType() &&
      !type->isArrayType()) {
    return;
  }
  Value value = scope_.value(from);
  if (value.kind != Value::Kind::other && value.path != target) {
    function_.bindings.push_back({target, std::move(value)});
  }
}

void FunctionBuilder::declaration(const VarDecl* variable) {
  LockActions actions;
  if (locks_.declare(variable, actions)) {
    locks(actions, variable->getLocation());
    return;
  }
  const Expr* init = variable->getInit();
  if (init == nullptr) return;
  if (!variable->hasGlobalStorage()) flow_.assign(block_, variable, init, false);
  if (!variable->getType()->isReferenceType()) bind(scope_.variable(variable), init);
}

void FunctionBuilder::initialiser(const CXXCtorInitializer* initialiser) {
  if (!initialiser->isAnyMemberInitializer()) return;
  const Expr* init = initialiser->getInit();
  const auto known = field_initialisers_.find(bare(init));
  if (known == field_initialisers_.end()) return;
  const Path field = known->second;
  const QualType type = initialiser->getAnyMember()->getType();
  if (Locks::is_synchronisation(type)) return;
  if (type->isReferenceType()) {
    Value value = scope_.argument(init, true);
    if (value.kind != Value::Kind::other) function_.bindings.push_back({field, std::move(value)});
    return;
  }
  bind(field, init);
  const uint32_t op =
      add(initialiser->getSourceLocation(), Access{field, true, false, false, names_.type(type)});
  flow_.use(block_, op, Flow::Sink::uses, 0, init);
}

void FunctionBuilder::atomic_builtin(const AtomicExpr* expression) {
  const Path path = scope_.pointee(expression->getPtr());
  if (!path.known()) return;
  const llvm::StringRef name =
      names_.context().BuiltinInfo.getName(static_cast<unsigned>(expression->getOp()));
  const Name type = names_.type(expression->getValueType());
  const bool loads = !name.contains("store");
  const bool stores = !name.contains("load");
  if (loads) {
    flow_.read(expression, add(expression->getExprLoc(), Access{path, false, true, false, type}));
  }
  if (stores) add(expression->getExprLoc(), Access{path, true, true, false, type});
}

// std::atomic's methods and operators, and the older __sync builtins.
bool FunctionBuilder::atomic_call(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  const Expr* receiver = receiver_of(call);
  const llvm::StringRef word =
      callee->getIdentifier() != nullptr ? callee->getName() : llvm::StringRef();
  Path path;
  QualType type;
  if (receiver != nullptr) {
    const std::string name = class_of(receiver->getType());
    if (name != "std::atomic" && name != "std::atomic_flag" && name != "std::__atomic_base") {
      return false;
    }
    path =
        receiver->getType()->isPointerType() ? scope_.pointee(receiver) : scope_.object(receiver);
    type = receiver->getType();
  } else if (word.starts_with("__sync_") && call->getNumArgs() > 0) {
    path = scope_.pointee(call->getArg(0));
    type = call->getType();
  } else {
    return false;
  }
  const bool conversion = isa<CXXConversionDecl>(callee);
  const bool loads = conversion || (word != "store" && word != "clear");
  const bool stores = !conversion && word != "load" && word != "test" && word != "wait" &&
                      !word.starts_with("notify");
  if (path.known() && loads) {
    flow_.read(call, add(call->getExprLoc(), Access{path, false, true, false, names_.type(type)}));
  }
  if (path.known() && stores) {
    const uint32_t op = add(call->getExprLoc(), Access{path, true, true, false, names_.type(type)});
    flow_.use(block_, op, Flow::Sink::uses, 0, call);
  }
  return true;
}

// ---------------------------------------------------------------------------
// Calls

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

void FunctionBuilder::spawn(SpawnSite site, const Expr* whole) {
  Spawn made;
  made.how = Name(site.how);
  if (site.method != nullptr) {
    made.entry.kind = Value::Kind::function;
    made.entry.function = names_.usr(site.method);
  } else if (const CXXMethodDecl* call = Threads::call_operator(site.entry->getType())) {
    made.entry.kind = Value::Kind::function;
    made.entry.function = names_.usr(call);
    made.receiver.kind = Value::Kind::address_of;
    if (site.entry_by_reference) {
      made.receiver.path = scope_.object(site.entry);
    } else {
      // The thread has a copy of the object.
      made.receiver.path = scope_.allocation(bare(site.entry));
      if (site.entry->isGLValue()) bind(made.receiver.path, site.entry);
    }
  } else {
    made.entry = scope_.value(site.entry);
  }
  if (site.receiver != nullptr) {
    const bool pointer = site.receiver->getType()->isPointerType() ||
                         class_of(site.receiver->getType()).starts_with("std::");
    made.receiver = scope_.argument(site.receiver, !pointer);
  }
  const bool references = site.how.find("std::") == std::string::npos;
  for (const Expr* argument : site.arguments) {
    made.arguments.push_back(scope_.argument(
        argument, references && argument->isGLValue() && argument->getType()->isRecordType()));
  }
  if (site.handle_pointer != nullptr) {
    made.handle = scope_.pointee(site.handle_pointer);
  } else if (site.handle_is_receiver) {
    made.handle = site.receiver->getType()->isPointerType() ? scope_.pointee(site.receiver)
                                                            : scope_.object(site.receiver);
  } else {
    made.handle = destination(whole);
  }
  const uint32_t op = add(whole->getExprLoc(), std::move(made));
  for (size_t i = 0; i < site.arguments.size(); ++i) {
    flow_.use(block_, op, Flow::Sink::argument, i, site.arguments[i]);
  }
}

Path FunctionBuilder::destination(const Expr* made) {
  const auto element_of = [&](Path path) {
    if (path.known()) path.steps.push_back({Step::Kind::element, names_.type(made->getType())});
    return path;
  };
  if (const auto* call = dyn_cast<CXXMemberCallExpr>(made)) {  // threads.emplace_back(…)
    return element_of(scope_.object(call->getImplicitObjectArgument()));
  }
  if (const auto known = field_initialisers_.find(made); known != field_initialisers_.end()) {
    return known->second;
  }
  bool in_list = false;
  const Stmt* below = made;
  for (const Stmt* above = parent(made); above != nullptr; above = parent(above)) {
    if (const auto* declared = dyn_cast<DeclStmt>(above)) {
      for (const Decl* decl : declared->decls()) {
        const auto* variable = dyn_cast<VarDecl>(decl);
        if (variable == nullptr || variable->getInit() != below) continue;
        Path path = scope_.variable(variable);
        return in_list ? element_of(std::move(path)) : path;
      }
      return {};
    }
    if (isa<CXXNewExpr>(above)) return scope_.allocation(cast<CXXNewExpr>(above));
    if (const auto* outer = dyn_cast<CXXConstructExpr>(above);
        outer != nullptr && Threads::spawn(outer)) {
      return scope_.allocation(made);  // the thread's copy, see spawn()
    }
    if (isa<InitListExpr>(above)) in_list = true;
    if (const auto* binary = dyn_cast<BinaryOperator>(above)) {
      return binary->isAssignmentOp() ? scope_.object(binary->getLHS()) : Path{};
    }
    if (const auto* call = dyn_cast<CallExpr>(above)) {
      const FunctionDecl* callee = call->getDirectCallee();
      const Expr* receiver = receiver_of(call);
      if (callee == nullptr || passes_argument_on(call)) {
        below = above;
        continue;
      }
      if (receiver == nullptr || receiver == below || !is_library(callee)) return {};
      const Path path = scope_.object(receiver);
      return callee->getOverloadedOperator() == OO_Equal ? path : element_of(path);
    }
    if (isa<CXXConstructExpr>(above) && !cast<CXXConstructExpr>(above)->isElidable() &&
        !cast<CXXConstructExpr>(above)->getConstructor()->isCopyOrMoveConstructor() &&
        !is_library(cast<CXXConstructExpr>(above)->getConstructor())) {
      return {};
    }
    if (!isa<Expr>(above)) return {};
    below = above;
  }
  // Not below a statement: a constructor's initialiser.
  const auto* expression = dyn_cast<Expr>(below);
  const auto known = field_initialisers_.find(expression != nullptr ? bare(expression) : made);
  return known != field_initialisers_.end() ? known->second : Path{};
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
  if (is_library(constructor) || !constructor->isUserProvided()) return;
  Call call;
  call.callee = names_.usr(constructor);
  call.name = Name(name_of(constructor));
  call.is_method = true;
  if (Path target = destination(construct); target.known()) {
    call.receiver.kind = Value::Kind::address_of;
    call.receiver.path = std::move(target);
  }
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
  const size_t before_wait = actions.size();
  if (locks_.call(call, actions)) {
    locks(actions, call->getExprLoc());
    return;
  }
  if (actions.size() != before_wait) {  // a wait, perhaps with a predicate
    // What it finds before it waits does not matter: it looks again afterwards.
    const llvm::ArrayRef<const Expr*> arguments = arguments_of(call);
    locks(actions, call->getExprLoc());
    call_closures(call, arguments.drop_front());
    return;
  }
  if (atomic_call(call)) return;
  if (passes_argument_on(call)) return;
  if (const Expr* receiver = receiver_of(call);
      receiver != nullptr && Locks::is_synchronisation(receiver->getType())) {
    // joinable() and the like; what changes such an object is none of the program's data.
    const auto* method = dyn_cast<CXXMethodDecl>(callee);
    if (method != nullptr && !method->isConst()) return;
  }
  if (const auto* assignment = dyn_cast<CXXMethodDecl>(callee);
      assignment != nullptr && !assignment->isUserProvided() &&
      (assignment->isCopyAssignmentOperator() || assignment->isMoveAssignmentOperator())) {
    copy_objects(call, assignment);
    return;
  }
  plain_call(call);
}

// A structure that is assigned.
void FunctionBuilder::copy_objects(const CallExpr* call, const CXXMethodDecl*) {
  const Expr* target = receiver_of(call);
  const llvm::ArrayRef<const Expr*> arguments = arguments_of(call);
  if (target == nullptr || arguments.empty()) return;
  if (arguments[0]->isLValue()) read(call, arguments[0]);
  write(target, arguments[0], target->getExprLoc());
  bind(scope_.object(target), arguments[0]);
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
      }
    }
  } else {
    through = call->getCallee();
    made.name = Name("a function pointer");
  }
  if (through != nullptr) made.through = scope_.value(through);
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
    made.argument_is_const.push_back(pointee.isNull() || pointee.isConstQualified() ||
                                     parameter->isRValueReferenceType() ||
                                     pointee->isFunctionType());
  }
  const uint32_t op = add(call->getExprLoc(), std::move(made));
  scope_.set_call(call, op);
  if (receiver != nullptr) flow_.use(block_, op, Flow::Sink::receiver, 0, receiver);
  if (through != nullptr) flow_.use(block_, op, Flow::Sink::through, 0, through);
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
    if (through == nullptr) call_closures(call, arguments);
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
  for (const Expr* argument : arguments_of(call)) bind(target, argument);
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
  if (method != nullptr && !wait) return;  // containers keep it
  for (const Expr* argument : arguments) {
    const Expr* plain = bare(argument);
    const CXXRecordDecl* record = plain->getType()->getAsCXXRecordDecl();
    if (record == nullptr || !record->isLambda()) continue;
    Call made;
    made.name = Name("a lambda");
    made.through = scope_.value(argument);
    if (made.through.kind == Value::Kind::other) continue;
    add(plain->getBeginLoc(), std::move(made));
  }
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

void FunctionBuilder::returned(const ReturnStmt* statement) {
  const Expr* value = statement->getRetValue();
  if (value == nullptr) return;
  const bool reference = body_.function->getReturnType()->isReferenceType();
  const uint32_t op = add(statement->getBeginLoc(), Return{scope_.argument(value, reference)});
  flow_.use(block_, op, Flow::Sink::returned, 0, value);
}

// ---------------------------------------------------------------------------
// OpenMP

namespace {

// A lock that excludes all regions of this kind and name from each other.
std::string lock_of(const OMPExecutableDirective* directive) {
  if (const auto* critical = dyn_cast<OMPCriticalDirective>(directive)) {
    return "<omp critical " + critical->getDirectiveName().getAsString() + ">";
  }
  if (isa<OMPAtomicDirective>(directive)) return "<omp atomic>";
  // Only one thread does these at all.
  if (isa<OMPSingleDirective>(directive)) return "<omp single>";
  if (isa<OMPMasterDirective>(directive)) return "<omp master>";
  return {};
}

bool is_private_clause(const OMPClause* clause) {
  return isa<OMPPrivateClause>(clause) || isa<OMPFirstprivateClause>(clause) ||
         isa<OMPLastprivateClause>(clause) || isa<OMPReductionClause>(clause) ||
         isa<OMPLinearClause>(clause);
}

llvm::DenseSet<const ValueDecl*> private_variables(const OMPExecutableDirective* directive) {
  llvm::DenseSet<const ValueDecl*> variables;
  for (const OMPClause* clause : directive->clauses()) {
    if (!is_private_clause(clause)) continue;
    for (const Stmt* child : const_cast<OMPClause*>(clause)->children()) {
      const auto* reference = dyn_cast_or_null<DeclRefExpr>(child);
      if (reference != nullptr) variables.insert(reference->getDecl());
    }
  }
  return variables;
}

void add_all(const Stmt* statement, llvm::DenseSet<const Stmt*>& set) {
  if (statement == nullptr) return;
  set.insert(statement);
  for (const Stmt* child : children_of(statement)) add_all(child, set);
}

}  // namespace

// A parallel region becomes a function of its own, which many threads run.
void FunctionBuilder::find_regions(const Stmt* statement) {
  if (statement == nullptr) return;
  const auto* directive = dyn_cast<OMPExecutableDirective>(statement);
  if (directive != nullptr && directive->hasAssociatedStmt()) {
    if (const auto* loop = dyn_cast<OMPLoopDirective>(directive)) {
      for (const Expr* counter : loop->counters()) {
        if (const VarDecl* variable = base_variable(counter)) partitioned_.insert(variable);
      }
    }
    if (directive != body_.region && isOpenMPParallelDirective(directive->getDirectiveKind())) {
      add_all(directive->getRawStmt(), skipped_);
      return;
    }
    if (!lock_of(directive).empty()) add_all(directive->getRawStmt(), locked_[directive]);
  }
  for (const Stmt* child : children_of(statement)) find_regions(child);
}

// The graph has a directive behind its body: the lock is taken where the first part of
// the body comes by.
void FunctionBuilder::enter_locked(const Stmt* statement) {
  for (const auto& [directive, parts] : locked_) {
    if (parts.count(statement) == 0 || !entered_.insert(directive).second) continue;
    add(directive->getBeginLoc(),
        Acquire{
            {Path::Root::global, 0, Name(lock_of(directive)), {}}, false, LockKind::mutex, false});
  }
}

void FunctionBuilder::region(const OMPExecutableDirective* directive) {
  if (locked_.count(directive) != 0) {
    add(directive->getEndLoc(),
        Release{
            {Path::Root::global, 0, Name(lock_of(directive)), {}}, LockKind::mutex, false, false});
    return;
  }
  if (directive == body_.region || !directive->hasAssociatedStmt() ||
      !isOpenMPParallelDirective(directive->getDirectiveKind())) {
    return;
  }
  const CapturedStmt* captured = directive->getCapturedStmt(llvm::omp::OMPD_parallel);
  const llvm::DenseSet<const ValueDecl*> own = private_variables(directive);
  Body body{body_.function, const_cast<Stmt*>(directive->getRawStmt()), {}, directive};
  Spawn spawn;
  spawn.how = Name("omp parallel");
  spawn.many = true;
  spawn.entry.kind = Value::Kind::function;
  spawn.entry.function = region_usr(names_, body_.function, directive);
  for (const CapturedStmt::Capture& capture : captured->captures()) {
    if (capture.capturesVariable() && own.count(capture.getCapturedVar()) != 0) continue;
    if (capture.capturesThis()) {
      body.captures.push_back({nullptr, true});
      spawn.entry.captures.emplace_back();
      spawn.entry.captures.back().kind = Value::Kind::value_of;
      spawn.entry.captures.back().path = {Path::Root::self, 0, {}, {}};
    } else if (capture.capturesVariable() || capture.capturesVariableByCopy()) {
      body.captures.push_back({capture.getCapturedVar(), true});
      spawn.entry.captures.emplace_back();
      spawn.entry.captures.back().kind = Value::Kind::address_of;
      spawn.entry.captures.back().path = scope_.variable(capture.getCapturedVar());
    }
  }
  const Path handle{Path::Root::global, 0, spawn.entry.function, {}};
  spawn.handle = handle;
  add(directive->getBeginLoc(), std::move(spawn));
  add(directive->getEndLoc(), Join{handle});
  regions_.push_back(std::move(body));
}

// The element of a shared array that belongs to this round of a loop whose rounds are
// divided among the threads.
bool FunctionBuilder::belongs_to_round(const Expr* object) const {
  for (const Expr* at = bare(object); !partitioned_.empty();) {
    const Expr* index = nullptr;
    const Expr* base = nullptr;
    if (const auto* member = dyn_cast<MemberExpr>(at)) {
      base = member->getBase();
    } else if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(at)) {
      index = subscript->getIdx();
      base = subscript->getBase();
    } else if (const auto* call = dyn_cast<CXXOperatorCallExpr>(at);
               call != nullptr && call->getOperator() == OO_Subscript && call->getNumArgs() == 2) {
      index = call->getArg(1);
      base = call->getArg(0);
    }
    if (base == nullptr) return false;
    const auto* reference = index != nullptr ? dyn_cast<DeclRefExpr>(bare(index)) : nullptr;
    const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (variable != nullptr && partitioned_.count(variable) != 0) return true;
    at = bare(base);
  }
  return false;
}

}  // namespace foretrace::lint
