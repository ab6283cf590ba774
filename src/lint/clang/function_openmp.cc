// FunctionBuilder: OpenMP's regions.
#include "clang/AST/StmtOpenMP.h"
#include "lint/clang/function.h"

namespace foretrace::lint {

using namespace clang;

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
