// FunctionBuilder: the graph, its blocks, and what is private to the function.
// What the single expressions do is in function_ops.cc.
#include "lint/clang/function.h"

#include <algorithm>

#include "clang/AST/Attr.h"
#include "clang/AST/StmtOpenMP.h"
#include "lint/clang/library.h"
#include "lint/graphs.h"

namespace foretrace::lint {

using namespace clang;

Name region_usr(Names& names, const FunctionDecl* function,
                const OMPExecutableDirective* directive) {
  const Position where = names.position(directive->getBeginLoc());
  return Name(names.usr(function).text() + "@region@" + std::to_string(where.line) + ":" +
              std::to_string(where.column));
}

namespace {

bool throws(const CFGBlock& block) {
  return block.hasNoReturnElement() ||
         std::any_of(block.begin(), block.end(), [](const CFGElement& element) {
           const auto part = element.getAs<CFGStmt>();
           return part && isa<CXXThrowExpr>(part->getStmt());
         });
}

}  // namespace

FunctionBuilder::FunctionBuilder(Names& names, const Body& body, Function& function)
    : names_(names),
      body_(body),
      function_(function),
      scope_(names, function, body.captures),
      locks_(scope_),
      threads_(scope_),
      flow_(scope_) {}

std::vector<const Stmt*> children_of(const Stmt* statement) {
  std::vector<const Stmt*> all(statement->child_begin(), statement->child_end());
  if (const auto* captured = dyn_cast<CapturedStmt>(statement)) {
    all.push_back(captured->getCapturedStmt());
  }
  return all;
}

bool FunctionBuilder::run() {
  CFG::BuildOptions options;
  options.AddInitializers = body_.region == nullptr;
  options.AddImplicitDtors = true;
  options.AddTemporaryDtors = false;
  options.setAllAlwaysAdd();
  const std::unique_ptr<CFG> graph =
      CFG::buildCFG(body_.function, body_.statements, &names_.context(), options);
  if (graph == nullptr) return false;
  parents_ = std::make_unique<ParentMap>(body_.statements);
  describe();
  if (const auto* constructor = dyn_cast<CXXConstructorDecl>(body_.function)) {
    for (const CXXCtorInitializer* part : constructor->inits()) {
      parents_->addStmt(part->getInit());
      find_escaping(part->getInit());
    }
  }
  find_escaping(body_.statements);
  find_unsteady(body_.statements);
  scope_.set_index_names([this](const Expr* index) { return index_name(index); });
  find_regions(body_.region != nullptr ? body_.region : body_.statements);
  if (!build_blocks(*graph)) return false;
  branch_conditions(*graph);
  flow_.run(function_);
  for (const Block& block : function_.blocks) {
    for (const Op& op : block.ops) {
      if (const Return* value = op.as<Return>()) function_.returns.push_back(value->value);
    }
  }
  loops_and_control();
  return true;
}

void FunctionBuilder::describe() {
  const FunctionDecl* decl = body_.function;
  function_.usr = names_.usr(decl);
  function_.name = Names::qualified(decl);
  function_.position = names_.position(decl->getLocation());
  function_.is_main = decl->isMain();
  function_.is_external = decl->isExternallyVisible();
  function_.returns_object = decl->getReturnType()->isRecordType();
  for (const Captured& capture : body_.captures) {
    function_.captures.push_back(capture.variable != nullptr ? capture.variable->getNameAsString()
                                                             : "this");
  }
  if (body_.region != nullptr) {
    const Position where = names_.position(body_.region->getBeginLoc());
    function_.enclosing = function_.usr;
    function_.usr = region_usr(names_, decl, body_.region);
    function_.name = (is_task() ? "task of " : "parallel region of ") + function_.name;
    function_.position = where;
    function_.is_main = false;
    function_.returns_object = false;
    function_.is_lambda = true;
    return;
  }
  for (const ParmVarDecl* parameter : decl->parameters()) {
    const QualType type = parameter->getType();
    const bool indirect = !type->getPointeeType().isNull();
    function_.parameters.push_back({parameter->getNameAsString(),
                                    names_.type(indirect ? type->getPointeeType() : type),
                                    indirect});
  }
  if (const auto* method = dyn_cast<CXXMethodDecl>(decl)) {
    function_.class_name = Name(Names::qualified(method->getParent()));
    function_.is_const = method->isConst();
    function_.is_constructor = isa<CXXConstructorDecl>(method);
    function_.is_destructor = isa<CXXDestructorDecl>(method);
    for (const CXXMethodDecl* overridden : method->overridden_methods()) {
      function_.overrides.push_back(names_.usr(overridden));
    }
    if (method->getParent()->isLambda()) {
      function_.is_lambda = true;
      if (const FunctionTemplateDecl* generic = decl->getPrimaryTemplate()) {
        function_.overrides.push_back(names_.usr(generic->getTemplatedDecl()));
      }
      const auto* enclosing = dyn_cast_or_null<FunctionDecl>(method->getParent()->getDeclContext());
      if (enclosing != nullptr) {
        function_.enclosing = names_.usr(enclosing);
        function_.name = "lambda in " + Names::qualified(enclosing);
      } else {
        function_.name = "lambda";
      }
    }
  }
  function_.required = locks_.required(decl);
}

// FORETRACE_ATOMIC_FUNCTION: all of it is one block.
bool FunctionBuilder::is_atomic() const {
  const auto annotations = body_.function->specific_attrs<AnnotateAttr>();
  return body_.region == nullptr &&
         std::any_of(annotations.begin(), annotations.end(), [](const AnnotateAttr* annotation) {
           return annotation->getAnnotation() == "foretrace::atomic";
         });
}

bool FunctionBuilder::build_blocks(CFG& graph) {
  if (const auto* constructor = dyn_cast<CXXConstructorDecl>(body_.function);
      constructor != nullptr && body_.region == nullptr) {
    for (const CXXCtorInitializer* initialiser : constructor->inits()) {
      if (!initialiser->isAnyMemberInitializer()) continue;
      const FieldDecl* field = initialiser->getAnyMember();
      field_initialisers_[bare(initialiser->getInit())] = {
          Path::Root::self,
          0,
          {},
          {{Step::Kind::deref,
            names_.type(names_.context().getCanonicalTagType(constructor->getParent()))},
           {Step::Kind::field, names_.field(field)}}};
    }
  }
  // Blocks in the order of execution as far as there is one, the entry first.
  std::vector<const CFGBlock*> order;
  llvm::DenseSet<const CFGBlock*> seen;
  const auto visit = [&](const auto& self, const CFGBlock* block) -> void {
    if (!seen.insert(block).second) return;
    for (const CFGBlock::AdjacentBlock& next : block->succs()) {
      if (next.getReachableBlock() != nullptr) self(self, next.getReachableBlock());
    }
    order.push_back(block);
  };
  visit(visit, &graph.getEntry());
  std::reverse(order.begin(), order.end());
  for (const CFGBlock* block : order) {
    block_numbers_[block] = static_cast<uint32_t>(block_numbers_.size());
  }
  function_.blocks.resize(order.size());
  const bool is_one_block = is_atomic();
  const Path transaction = Locks::transaction_lock();
  for (const CFGBlock* block : order) {
    block_ = block_numbers_[block];
    scope_.set_block(block_);
    if (is_one_block && block == &graph.getEntry()) {
      add(body_.function->getLocation(), Acquire{transaction, false, LockKind::transaction, false});
    }
    if (block == &graph.getEntry()) dependences(true);
    for (const CFGElement& part : *block) element(part);
    if (block == &graph.getExit()) end_region();
    if (is_one_block && block == &graph.getExit()) {
      add(body_.function->getEndLoc(), Release{transaction, LockKind::transaction, false, false});
    }
    function_.blocks[block_].throws = throws(*block);
    for (const CFGBlock::AdjacentBlock& next : block->succs()) {
      if (const CFGBlock* reachable = next.getReachableBlock()) {
        function_.blocks[block_].next.push_back(block_numbers_[reachable]);
      }
    }
  }
  return true;
}

void FunctionBuilder::element(const CFGElement& element) {
  if (const auto part = element.getAs<CFGStmt>()) {
    enter_locked(part->getStmt());
    if (skipped_.count(part->getStmt()) == 0) statement(part->getStmt());
    if (const auto ends = ending_with_.find(part->getStmt()); ends != ending_with_.end()) {
      locks(ends->second, part->getStmt()->getEndLoc());
    }
  } else if (const auto init = element.getAs<CFGInitializer>()) {
    initialiser(init->getInitializer());
  } else if (const auto automatic = element.getAs<CFGAutomaticObjDtor>()) {
    end_of(automatic->getVarDecl(), automatic->getTriggerStmt()->getEndLoc());
  } else if (const auto cleanup = element.getAs<CFGCleanupFunction>()) {
    LockActions actions;
    if (locks_.destroy(cleanup->getVarDecl(), actions)) {
      locks(actions, cleanup->getVarDecl()->getLocation());
    }
  } else if (const auto deleted = element.getAs<CFGDeleteDtor>()) {
    const CXXDeleteExpr* expression = deleted->getDeleteExpr();
    const CXXDestructorDecl* decl = deleted->getDestructorDecl(names_.context());
    destructor(decl, scope_.value(expression->getArgument()), expression->getBeginLoc());
  } else if (const auto member = element.getAs<CFGMemberDtor>()) {
    const FieldDecl* field = member->getFieldDecl();
    Value receiver;
    receiver.kind = Value::Kind::address_of;
    receiver.path = {
        Path::Root::self,
        0,
        {},
        {{Step::Kind::deref, function_.class_name}, {Step::Kind::field, names_.field(field)}}};
    if (Locks::has_guard(field->getType())) {
      LockActions actions;
      locks_.destroy_member(receiver.path, actions);
      locks(actions, body_.function->getEndLoc());
      return;
    }
    if (Threads::joins_at_end(field->getType())) {
      add(body_.function->getEndLoc(), Join{receiver.path});
      return;
    }
    destructor(member->getDestructorDecl(names_.context()), std::move(receiver),
               body_.function->getEndLoc());
  } else if (const auto base = element.getAs<CFGBaseDtor>()) {
    Value receiver;
    receiver.kind = Value::Kind::value_of;
    receiver.path = {Path::Root::self, 0, {}, {}};
    destructor(base->getDestructorDecl(names_.context()), std::move(receiver),
               body_.function->getEndLoc());
  }
}

// Terminators: what they depend on, and try_lock's results.
void FunctionBuilder::branch_conditions(const CFG& graph) {
  for (const CFGBlock* block : graph) {
    const auto number = block_numbers_.find(block);
    if (number == block_numbers_.end()) continue;
    const Expr* condition = dyn_cast_or_null<Expr>(block->getTerminatorCondition());
    if (condition == nullptr || skipped_.count(condition) != 0) continue;
    Block& made = function_.blocks[number->second];
    if (made.next.size() < 2) continue;
    made.condition_position = names_.position(condition->getExprLoc());
    flow_.use(number->second, 0, Flow::Sink::condition, 0, condition);
    try_locks(number->second, condition, false);
  }
}

// Of a local variable that is given one value, and no other, that value.
const Expr* FunctionBuilder::only_value(const Expr* expression) const {
  const auto* reference = dyn_cast<DeclRefExpr>(bare(expression));
  const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable == nullptr || !variable->hasLocalStorage() ||
      !variable->getType()->isIntegerType() || escapes(variable)) {
    return expression;
  }
  std::vector<const Expr*> values;
  if (variable->getInit() != nullptr) values.push_back(variable->getInit());
  find_assigned(variable, body_.statements, values);
  return values.size() == 1 ? bare(values[0]) : expression;
}

void FunctionBuilder::find_assigned(const VarDecl* variable, const Stmt* statement,
                                    std::vector<const Expr*>& values) const {
  if (statement == nullptr) return;
  const auto* binary = dyn_cast<BinaryOperator>(statement);
  if (binary != nullptr && binary->isAssignmentOp() &&
      base_variable(binary->getLHS()) == variable) {
    values.push_back(binary->getRHS());
  }
  for (const Stmt* child : children_of(statement)) find_assigned(variable, child, values);
}

// if (m.try_lock()): the lock is held in the block that is then entered.
void FunctionBuilder::try_locks(uint32_t block, const Expr* condition, bool negated) {
  condition = bare(condition);
  if (const auto* unary = dyn_cast<UnaryOperator>(condition)) {
    if (unary->getOpcode() == UO_LNot) try_locks(block, unary->getSubExpr(), !negated);
    return;
  }
  if (const auto* comparison = dyn_cast<BinaryOperator>(condition);
      comparison != nullptr && comparison->isEqualityOp()) {
    // Compared with 0, or with thrd_success, which is 0.
    try_locks(block, comparison->getLHS(), negated != (comparison->getOpcode() == BO_EQ));
    return;
  }
  if (const auto* both = dyn_cast<BinaryOperator>(condition);
      both != nullptr && both->isLogicalOp()) {
    try_locks(block, both->getRHS(), negated);  // the left side was decided before
    return;
  }
  const TryLock* tried = locks_.try_lock(only_value(condition));
  if (tried == nullptr) return;
  const bool on_true = tried->success != negated;
  const uint32_t target = function_.blocks[block].next[on_true ? 0 : 1];
  size_t ways = 0;
  for (const Block& from : function_.blocks) {
    ways += static_cast<size_t>(std::count(from.next.begin(), from.next.end(), target));
  }
  if (ways != 1) return;  // also reached without the lock
  Op op;
  op.id = next_op_++;
  op.position = names_.position(condition->getExprLoc());
  op.what = Acquire{tried->lock, tried->shared, LockKind::mutex, false};
  std::vector<Op>& ops = function_.blocks[target].ops;
  ops.insert(ops.begin(), std::move(op));
}

void FunctionBuilder::loops_and_control() {
  const size_t count = function_.blocks.size();
  for (uint32_t start = 0; start < count; ++start) {
    if (function_.blocks[start].ops.empty() && function_.blocks[start].next.size() < 2) continue;
    std::vector<bool> seen(count);
    std::vector<uint32_t> work = function_.blocks[start].next;
    while (!work.empty() && !function_.blocks[start].in_loop) {
      const uint32_t block = work.back();
      work.pop_back();
      if (seen[block]) continue;
      seen[block] = true;
      function_.blocks[start].in_loop = block == start;
      const std::vector<uint32_t>& next = function_.blocks[block].next;
      work.insert(work.end(), next.begin(), next.end());
    }
  }
  std::vector<std::vector<uint32_t>> next;
  for (const Block& block : function_.blocks) next.push_back(block.next);
  std::vector<std::vector<uint32_t>> decide = deciders(next);
  for (uint32_t block = 0; block < count; ++block) {
    if (!function_.blocks[block].ops.empty()) {
      function_.blocks[block].controlled_by = std::move(decide[block]);
    }
  }
}

uint32_t FunctionBuilder::add(SourceLocation where, decltype(Op::what) what) {
  Op op;
  op.id = next_op_++;
  op.position = names_.position(where);
  op.what = std::move(what);
  function_.blocks[block_].ops.push_back(std::move(op));
  return next_op_ - 1;
}

const Stmt* FunctionBuilder::parent(const Stmt* statement) const {
  return parents_->getParent(statement);
}

// ---------------------------------------------------------------------------
// Privacy

bool FunctionBuilder::visible(const Path& path, const Expr* expression) const {
  if (!path.known() || Locks::is_synchronisation(expression->getType())) return false;
  const bool indirect = std::any_of(path.steps.begin(), path.steps.end(), [](const Step& step) {
    return step.kind == Step::Kind::deref;
  });
  if (indirect || path.root == Path::Root::heap) return true;
  if (is_private_copy(expression)) return false;
  const VarDecl* variable = base_variable(expression);
  switch (path.root) {
    case Path::Root::global: {
      // Constants cannot clash; a library's globals (std::cout) are its own business.
      const Expr* base = bare(expression);
      while (const auto* member = dyn_cast<MemberExpr>(base)) {
        if (isa<VarDecl>(member->getMemberDecl())) break;
        base = bare(member->getBase());
      }
      const ValueDecl* decl = nullptr;
      if (const auto* reference = dyn_cast<DeclRefExpr>(base)) decl = reference->getDecl();
      if (const auto* member = dyn_cast<MemberExpr>(base)) decl = member->getMemberDecl();
      const auto* global = dyn_cast_or_null<VarDecl>(decl);
      if (global == nullptr) return true;
      return !is_library(global) && global->getTLSKind() == VarDecl::TLS_None &&
             !global->getType().isConstQualified();
    }
    case Path::Root::local:
    case Path::Root::parameter:
      return variable != nullptr && escapes(variable);
    default:
      return false;
  }
}

// The pointer of `p->x`, `*p`, `p[i]` and p->f().
bool FunctionBuilder::on_the_way(const Expr* load) const {
  if (!load->getType()->isPointerType()) return false;
  const Stmt* above = parent(load);
  while (isa_and_nonnull<ImplicitCastExpr>(above) || isa_and_nonnull<ParenExpr>(above)) {
    above = parent(above);
  }
  if (const auto* member = dyn_cast_or_null<MemberExpr>(above)) return member->isArrow();
  if (const auto* unary = dyn_cast_or_null<UnaryOperator>(above)) {
    return unary->getOpcode() == UO_Deref;
  }
  return isa_and_nonnull<ArraySubscriptExpr>(above);
}

void FunctionBuilder::find_escaping(const Stmt* statement) {
  if (statement == nullptr) return;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement)) {
    const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable != nullptr && !variable->hasGlobalStorage() && !keeps_private(reference)) {
      escaping_.insert(variable);
    }
    return;
  }
  if (const auto* lambda = dyn_cast<LambdaExpr>(statement)) {
    for (const LambdaCapture& capture : lambda->captures()) {
      if (capture.capturesVariable() && capture.getCaptureKind() == LCK_ByRef) {
        if (const auto* variable = dyn_cast<VarDecl>(capture.getCapturedVar())) {
          escaping_.insert(variable);
        }
      }
    }
    return;
  }
  if (const auto* captured = dyn_cast<CapturedStmt>(statement)) {
    for (const CapturedStmt::Capture& capture : captured->captures()) {
      if (capture.capturesVariable()) escaping_.insert(capture.getCapturedVar());
    }
  }
  for (const Stmt* child : children_of(statement)) find_escaping(child);
}

// Read, written, or given to the library's methods: nobody keeps its address.
bool FunctionBuilder::keeps_private(const DeclRefExpr* use) const {
  const Stmt* below = use;
  const Stmt* above = parent(use);
  while (above != nullptr) {
    if (const auto* cast = dyn_cast<CastExpr>(above)) {
      if (cast->getCastKind() == CK_LValueToRValue) return true;
    } else if (const auto* member = dyn_cast<MemberExpr>(above)) {
      if (const auto* method = dyn_cast<CXXMethodDecl>(member->getMemberDecl())) {
        return is_library(method) || method->isStatic();
      }
    } else if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(above)) {
      if (subscript->getBase() != below) return true;
    } else if (!isa<ParenExpr>(above)) {
      break;
    }
    below = above;
    above = parent(above);
  }
  if (const auto* binary = dyn_cast_or_null<BinaryOperator>(above)) {
    return binary->isAssignmentOp() ? binary->getLHS() == below : true;
  }
  if (const auto* unary = dyn_cast_or_null<UnaryOperator>(above)) {
    return unary->getOpcode() != UO_AddrOf;
  }
  if (const auto* call = dyn_cast_or_null<CXXOperatorCallExpr>(above)) {
    const FunctionDecl* callee = call->getDirectCallee();
    return callee != nullptr && is_library(callee);
  }
  if (const auto* call = dyn_cast_or_null<CallExpr>(above)) {
    // A library function that gets it by reference does not keep it, but for those
    // that make references: std::ref, std::move into a thread.
    const FunctionDecl* callee = call->getDirectCallee();
    return callee != nullptr && is_library(callee) &&
           result_of_library_call(callee) != LibraryResult::address_of_argument &&
           !Threads::spawn(call);
  }
  if (const auto* made = dyn_cast_or_null<CXXConstructExpr>(above)) {
    return made->getConstructor()->isCopyOrMoveConstructor();
  }
  return isa_and_nonnull<CompoundStmt>(above) || isa_and_nonnull<ReturnStmt>(above);
}

}  // namespace foretrace::lint
