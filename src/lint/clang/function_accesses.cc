// FunctionBuilder: statements, and what they read and write.
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

void FunctionBuilder::read(const Expr* load, const Expr* object) {
  const Path path = scope_.object(object);
  if (!visible(path, object)) return;
  OwnElement own = own_element(object);
  Access access{path,
                false,
                object->getType()->isAtomicType(),
                on_the_way(load),
                names_.type(object->getType()),
                own.text,
                std::move(own.number)};
  flow_.read(load, add(object->getExprLoc(), std::move(access)));
}

void FunctionBuilder::write(const Expr* object, const Expr* from, SourceLocation where) {
  const Path path = scope_.object(object);
  if (visible(path, object)) {
    OwnElement own = own_element(object);
    Access access{path,
                  true,
                  object->getType()->isAtomicType(),
                  false,
                  names_.type(object->getType()),
                  own.text,
                  std::move(own.number)};
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
  if (!compound) scope_.bind(scope_.object(target), assignment->getRHS());
}

void FunctionBuilder::declaration(const VarDecl* variable) {
  LockActions actions;
  const bool is_guard = locks_.declare(variable, actions);
  locks(actions, variable->getLocation());
  if (is_guard) return;
  const Expr* init = variable->getInit();
  if (init == nullptr) return;
  if (!variable->hasGlobalStorage()) flow_.assign(block_, variable, init, false);
  if (!variable->getType()->isReferenceType()) scope_.bind(scope_.variable(variable), init);
}

void FunctionBuilder::initialiser(const CXXCtorInitializer* initialiser) {
  if (!initialiser->isAnyMemberInitializer()) return;
  const Expr* init = initialiser->getInit();
  const auto known = field_initialisers_.find(bare(init));
  if (known == field_initialisers_.end()) return;
  const Path field = known->second;
  const QualType type = initialiser->getAnyMember()->getType();
  if (Locks::has_guard(type)) {
    LockActions actions;
    locks_.initialise(field, init, actions);
    locks(actions, initialiser->getSourceLocation());
    return;
  }
  if (Locks::is_synchronisation(type)) return;
  if (type->isReferenceType()) {
    Value value = scope_.argument(init, true);
    if (value.kind != Value::Kind::other) function_.bindings.push_back({field, std::move(value)});
    return;
  }
  scope_.bind(field, init);
  const uint32_t op =
      add(initialiser->getSourceLocation(), Access{field, true, false, false, names_.type(type)});
  flow_.use(block_, op, Flow::Sink::uses, 0, init);
}

void FunctionBuilder::atomic_builtin(const AtomicExpr* expression) {
  const Path path = scope_.pointee(expression->getPtr());
  if (!path.known()) return;
  const std::string text =
      names_.context().BuiltinInfo.getName(static_cast<unsigned>(expression->getOp()));
  const llvm::StringRef name(text);
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

void FunctionBuilder::returned(const ReturnStmt* statement) {
  const Expr* value = statement->getRetValue();
  if (value == nullptr) return;
  LockActions actions;
  locks_.give_away(value, actions);
  locks(actions, statement->getBeginLoc());
  const bool reference = body_.function->getReturnType()->isReferenceType();
  const uint32_t op = add(statement->getBeginLoc(), Return{scope_.argument(value, reference)});
  flow_.use(block_, op, Flow::Sink::returned, 0, value);
}

}  // namespace foretrace::lint
