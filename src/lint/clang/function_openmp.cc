// FunctionBuilder: OpenMP's regions.
#include <algorithm>

#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "lint/clang/function.h"
#include "lint/clang/library.h"

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
  if (isa<OMPSectionDirective>(directive)) {
    return "<omp section " + std::to_string(directive->getBeginLoc().getRawEncoding()) + ">";
  }
  if (isa<OMPMasterDirective>(directive)) return "<omp master>";
  return {};
}

bool is_private_clause(const OMPClause* clause) {
  return isa<OMPPrivateClause>(clause) || isa<OMPFirstprivateClause>(clause) ||
         isa<OMPLastprivateClause>(clause) || isa<OMPReductionClause>(clause) ||
         isa<OMPLinearClause>(clause);
}

llvm::DenseSet<const ValueDecl*> private_variables(const OMPExecutableDirective* directive,
                                                   bool (*is_meant)(const OMPClause*)) {
  llvm::DenseSet<const ValueDecl*> variables;
  for (const OMPClause* clause : directive->clauses()) {
    if (!is_meant(clause)) continue;
    for (const Stmt* child : const_cast<OMPClause*>(clause)->children()) {
      const auto* reference = dyn_cast_or_null<DeclRefExpr>(child);
      if (reference != nullptr) variables.insert(reference->getDecl());
    }
  }
  return variables;
}

Name text_of(const Expr* expression) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  expression->IgnoreParenImpCasts()->printPretty(stream, nullptr, PrintingPolicy(LangOptions()));
  return Name(text);
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
      divided_loops_.push_back(loop);
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
  const llvm::DenseSet<const ValueDecl*> own = private_variables(directive, is_private_clause);
  const llvm::DenseSet<const ValueDecl*> first = private_variables(
      directive, [](const OMPClause* clause) { return isa<OMPFirstprivateClause>(clause); });
  Body body{body_.function, const_cast<Stmt*>(directive->getRawStmt()), {}, directive};
  Spawn spawn;
  spawn.how = Name("omp parallel");
  spawn.many = true;
  spawn.entry.kind = Value::Kind::function;
  spawn.entry.function = region_usr(names_, body_.function, directive);
  for (const CapturedStmt::Capture& capture : captured->captures()) {
    const bool variable = capture.capturesVariable() || capture.capturesVariableByCopy();
    if (variable && first.count(capture.getCapturedVar()) != 0) {
      body.captures.push_back({capture.getCapturedVar(), false});
      spawn.entry.captures.emplace_back();
      spawn.entry.captures.back().kind = Value::Kind::value_of;
      spawn.entry.captures.back().path = scope_.variable(capture.getCapturedVar());
      continue;
    }
    if (variable && own.count(capture.getCapturedVar()) != 0) continue;
    if (capture.capturesThis()) {
      body.captures.push_back({nullptr, true});
      spawn.entry.captures.emplace_back();
      spawn.entry.captures.back().kind = Value::Kind::value_of;
      spawn.entry.captures.back().path = {Path::Root::self, 0, {}, {}};
    } else if (variable) {
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

// The element of a shared array that belongs to this thread, or to this round of a loop
// whose rounds are divided among the threads; as it is written.
Name FunctionBuilder::own_element(const Expr* object) const {
  if (!names_.context().getLangOpts().OpenMP) return {};
  for (const Expr* at = bare(object);;) {
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
    if (base == nullptr) return {};
    if (index != nullptr) {
      if (const Name own = own_number(index); !own.empty()) return own;
    }
    at = bare(base);
  }
}

Name FunctionBuilder::divided_loop(const Expr* object) const {
  const SourceManager& sources = names_.context().getSourceManager();
  const SourceLocation at = sources.getExpansionLoc(object->getExprLoc());
  for (auto loop = divided_loops_.rbegin(); loop != divided_loops_.rend(); ++loop) {
    const SourceRange range = (*loop)->getRawStmt()->getSourceRange();
    if (sources.isPointWithin(at, sources.getExpansionLoc(range.getBegin()),
                              sources.getExpansionLoc(range.getEnd()))) {
      const Position where = names_.position((*loop)->getBeginLoc());
      return Name(where.file.text() + ":" + std::to_string(where.line));
    }
  }
  return {};
}

// `i`, `i + offset`, `i * width + column`: the rest must not make two rounds meet. Of a product
// it is assumed that the rest is less than the factor.
Name FunctionBuilder::own_number(const Expr* index) const {
  std::vector<const Expr*> terms = {index};
  const Expr* own = nullptr;
  bool other_varies = false;
  for (size_t i = 0; i < terms.size(); ++i) {
    const Expr* term = bare(terms[i]);
    const auto* binary = dyn_cast<BinaryOperator>(term);
    if (binary != nullptr && binary->isAdditiveOp()) {
      terms.push_back(binary->getLHS());
      terms.push_back(binary->getRHS());
    } else if (binary != nullptr && binary->getOpcode() == BO_Mul) {
      if (!own_number(binary->getLHS()).empty() || !own_number(binary->getRHS()).empty()) {
        return text_of(term);
      }
      other_varies = true;
    } else if (is_partitioned(term)) {
      own = term;
    } else {
      other_varies = other_varies || varies_inside(term);
    }
  }
  return own != nullptr && !other_varies ? text_of(index) : Name();
}

bool FunctionBuilder::is_partitioned(const Expr* number) const {
  const auto* reference = dyn_cast<DeclRefExpr>(number);
  const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable != nullptr && partitioned_.count(variable) != 0) return true;
  const auto* call = dyn_cast<CallExpr>(only_value(number));
  return call != nullptr && call->getDirectCallee() != nullptr &&
         name_of(call->getDirectCallee()) == "omp_get_thread_num";
}

// Not a constant, and not the same for all threads: it is no variable from outside.
bool FunctionBuilder::varies_inside(const Expr* term) const {
  if (names_.is_constant(term)) return false;
  const auto* reference = dyn_cast<DeclRefExpr>(term);
  const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable == nullptr) return true;
  return std::none_of(body_.captures.begin(), body_.captures.end(),
                      [&](const Captured& one) { return one.variable == variable; }) &&
         !variable->hasGlobalStorage();
}

}  // namespace foretrace::lint
