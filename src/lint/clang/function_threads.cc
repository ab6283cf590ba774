// FunctionBuilder: threads that are started, and where new objects go.
#include "lint/clang/function.h"
#include "lint/clang/library.h"

namespace foretrace::lint {

using namespace clang;

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
      if (site.entry->isGLValue()) scope_.bind(made.receiver.path, site.entry);
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
  } else if (site.handle_is_receiver || site.handle_object != nullptr) {
    const Expr* handle = site.handle_is_receiver ? site.receiver : site.handle_object;
    made.handle =
        handle->getType()->isPointerType() ? scope_.pointee(handle) : scope_.object(handle);
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

}  // namespace foretrace::lint
