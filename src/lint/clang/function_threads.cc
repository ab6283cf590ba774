// FunctionBuilder: threads that are started, and where new objects go.
#include "lint/clang/function.h"
#include "lint/clang/library.h"

namespace foretrace::lint {

using namespace clang;

// What is started, with what.
Spawn FunctionBuilder::started(const SpawnSite& site) {
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
  return made;
}

void FunctionBuilder::spawn(const SpawnSite& site, const Expr* whole) {
  Spawn made = started(site);
  if (site.deferred) {
    // Done here and now, as far as we know; by this thread in any case.
    Call call;
    call.name = Name("a deferred function");
    call.is_method = made.receiver.kind != Value::Kind::other;
    if (call.is_method) call.callee = made.entry.function;
    call.through = std::move(made.entry);
    call.receiver = std::move(made.receiver);
    call.argument_is_const.assign(made.arguments.size(), true);
    call.arguments = std::move(made.arguments);
    add(whole->getExprLoc(), std::move(call));
    return;
  }
  mark_counters(site, whole, made);
  made.handle = handle_of(site, whole);
  // Nobody has the future: it waits where the expression ends.
  const bool waits =
      !made.handle.known() && Threads::joins_at_end(whole->getType()) && ends_with_statement(whole);
  if (waits) made.handle = scope_.allocation(whole);
  const Path handle = made.handle;
  const uint32_t op = add(whole->getExprLoc(), std::move(made));
  for (size_t i = 0; i < site.arguments.size(); ++i) {
    flow_.use(block_, op, Flow::Sink::argument, i, site.arguments[i]);
  }
  if (waits) add(whole->getExprLoc(), Join{handle});
}

Path FunctionBuilder::handle_of(const SpawnSite& site, const Expr* whole) {
  if (site.handle_pointer != nullptr) return scope_.pointee(site.handle_pointer);
  if (site.handle_is_receiver || site.handle_object != nullptr) {
    const Expr* handle = site.handle_is_receiver ? site.receiver : site.handle_object;
    return handle->getType()->isPointerType() ? scope_.pointee(handle) : scope_.object(handle);
  }
  const auto* call = dyn_cast<CallExpr>(whole);
  if (call != nullptr &&
      result_of_library_call(call->getDirectCallee()) == LibraryResult::allocation) {
    return scope_.allocation(call);  // make_unique<std::thread>(f)
  }
  const Path made = destination(whole);
  const Path moved = made.known() ? moved_to(made, body_.statements) : Path{};
  return moved.known() ? moved : made;
}

// Where a handle is given away to: std::move(handle).
Path FunctionBuilder::moved_to(const Path& handle, const Stmt* statement) {
  if (statement == nullptr) return {};
  const auto* call = dyn_cast<CallExpr>(statement);
  if (call != nullptr && passes_argument_on(call) && Threads::is_handle(call->getType()) &&
      scope_.object(call->getArg(0)) == handle) {
    return destination(call);
  }
  for (const Stmt* child : children_of(statement)) {
    if (Path found = moved_to(handle, child); found.known()) return found;
  }
  return {};
}

// A temporary that nobody is given: its methods are called at most.
bool FunctionBuilder::ends_with_statement(const Expr* made) const {
  const Stmt* above = parent(made);
  for (; isa_and_nonnull<Expr>(above); above = parent(above)) {
    if (!isa<FullExpr>(above) && !isa<CXXBindTemporaryExpr>(above) &&
        !isa<MaterializeTemporaryExpr>(above) && !isa<CastExpr>(above) && !isa<ParenExpr>(above)) {
      return isa<MemberExpr>(above) || isa<CXXOperatorCallExpr>(above);
    }
  }
  return above != nullptr && !isa<ReturnStmt>(above) && !isa<DeclStmt>(above);
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
