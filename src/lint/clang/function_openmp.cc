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

// Of directives that only one thread does at all.
bool is_once(const OMPExecutableDirective* directive) {
  return isa<OMPSingleDirective>(directive) || isa<OMPSectionDirective>(directive) ||
         isa<OMPMasterDirective>(directive) || isa<OMPMaskedDirective>(directive);
}

LockKind kind_of(const OMPExecutableDirective* directive) {
  return is_once(directive) ? LockKind::once : LockKind::mutex;
}

bool makes_tasks(const OMPExecutableDirective* directive) {
  return isa<OMPTaskDirective>(directive) ||
         isOpenMPTaskLoopDirective(directive->getDirectiveKind());
}

// What runs as threads of its own.
bool is_region(const OMPExecutableDirective* directive) {
  return directive->hasAssociatedStmt() &&
         (isOpenMPParallelDirective(directive->getDirectiveKind()) || makes_tasks(directive));
}

// Threads wait for each other where it ends.
bool ends_with_barrier(const OMPExecutableDirective* directive) {
  const bool divides = isOpenMPWorksharingDirective(directive->getDirectiveKind()) &&
                       !isa<OMPSectionDirective>(directive);
  return divides && !directive->hasClausesOfKind<OMPNowaitClause>();
}

Path tasks() { return {Path::Root::global, 0, Name(kTasks), {}}; }

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

// `a` of `a[i]`, `a.x` and `a[0:n]`.
const VarDecl* first_variable(const Stmt* expression) {
  if (expression == nullptr) return nullptr;
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
    return dyn_cast<VarDecl>(reference->getDecl());
  }
  for (const Stmt* child : expression->children()) {
    if (const VarDecl* variable = first_variable(child)) return variable;
  }
  return nullptr;
}

// omp_get_thread_num()
bool is_thread_number(const Expr* expression) {
  const auto* call = dyn_cast<CallExpr>(expression);
  return call != nullptr && call->getDirectCallee() != nullptr &&
         name_of(call->getDirectCallee()) == "omp_get_thread_num";
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
    if (directive != body_.region && is_region(directive)) {
      add_all(directive->getRawStmt(), skipped_);
      return;
    }
    if (lock_of(directive).known()) add_all(directive->getRawStmt(), locked_[directive]);
  }
  for (const Stmt* child : children_of(statement)) find_regions(child);
}

// The graph has a directive behind its body: the lock is taken where the first part of
// the body comes by.
void FunctionBuilder::enter_locked(const Stmt* statement) {
  for (const auto& [directive, parts] : locked_) {
    if (parts.count(statement) == 0 || !entered_.insert(directive).second) continue;
    add(directive->getBeginLoc(), Acquire{lock_of(directive), false, kind_of(directive), false});
  }
}

// A lock that excludes all regions of this kind and name from each other.
Path FunctionBuilder::lock_of(const OMPExecutableDirective* directive) const {
  const auto named = [](const std::string& name) {
    return Path{Path::Root::global, 0, Name("<omp " + name + ">"), {}};
  };
  if (const auto* critical = dyn_cast<OMPCriticalDirective>(directive)) {
    return named("critical " + critical->getDirectiveName().getAsString());
  }
  if (isa<OMPAtomicDirective>(directive)) return named("atomic");
  if (isa<OMPMasterDirective>(directive) || isa<OMPMaskedDirective>(directive)) {
    return named("master");
  }
  if (!is_once(directive)) return {};
  const Position where = names_.position(directive->getBeginLoc());
  return named("once at " + where.file.text() + ":" + std::to_string(where.line) + ":" +
               std::to_string(where.column));
}

// Tasks are done before the threads go on.
void FunctionBuilder::barrier(SourceLocation where) {
  add(where, Barrier{});
  add(where, Join{tasks()});
}

void FunctionBuilder::region(const OMPExecutableDirective* directive) {
  const SourceLocation end = directive->getEndLoc();
  if (locked_.count(directive) != 0) {
    add(end, Release{lock_of(directive), kind_of(directive), false, false});
  }
  if (directive == body_.region) return;
  if (isa<OMPTaskwaitDirective>(directive)) {
    add(end, Join{tasks(), true});
  } else if (isa<OMPTaskgroupDirective>(directive)) {
    add(end, Join{tasks()});
  } else if (is_region(directive)) {
    start_region(directive);
  } else if (isa<OMPBarrierDirective>(directive) || ends_with_barrier(directive)) {
    barrier(end);
  }
}

bool FunctionBuilder::is_task() const {
  return body_.region != nullptr && makes_tasks(body_.region);
}

void FunctionBuilder::end_region() {
  dependences(false);
  if (body_.region != nullptr && !is_task()) add(body_.region->getEndLoc(), Join{tasks()});
}

// What a task says that it depends on keeps it apart from others that do.
void FunctionBuilder::dependences(bool begin) {
  if (body_.region == nullptr) return;
  for (const auto* clause : body_.region->getClausesOfKind<OMPDependClause>()) {
    const bool reads = clause->getDependencyKind() == OMPC_DEPEND_in;
    for (const Expr* object : clause->varlist()) {
      const VarDecl* variable = first_variable(object);
      if (variable == nullptr) continue;
      const Path lock{
          Path::Root::global, 0, Name("<omp depend " + names_.usr(variable).text() + ">"), {}};
      if (begin) {
        add(body_.region->getBeginLoc(), Acquire{lock, reads, LockKind::once, false});
      } else {
        add(body_.region->getEndLoc(), Release{lock, LockKind::once, false, false});
      }
    }
  }
}

void FunctionBuilder::start_region(const OMPExecutableDirective* directive) {
  const bool task = makes_tasks(directive);
  const bool loop = isOpenMPTaskLoopDirective(directive->getDirectiveKind());
  const CapturedStmt* captured = directive->getCapturedStmt(loop   ? llvm::omp::OMPD_taskloop
                                                            : task ? llvm::omp::OMPD_task
                                                                   : llvm::omp::OMPD_parallel);
  const llvm::DenseSet<const ValueDecl*> own = private_variables(directive, is_private_clause);
  const llvm::DenseSet<const ValueDecl*> first = private_variables(
      directive, [](const OMPClause* clause) { return isa<OMPFirstprivateClause>(clause); });
  Body body{body_.function, const_cast<Stmt*>(directive->getRawStmt()), {}, directive};
  Spawn spawn;
  spawn.how = Name(task ? kTask : kTeam);
  spawn.many = !task || loop;
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
  const Path handle = task ? tasks() : Path{Path::Root::global, 0, spawn.entry.function, {}};
  spawn.handle = handle;
  add(directive->getBeginLoc(), std::move(spawn));
  if (!task || (loop && !directive->hasClausesOfKind<OMPNogroupClause>())) {
    add(directive->getEndLoc(), Join{handle});
  }
  regions_.push_back(std::move(body));
}

// The element of a shared array that belongs to this thread, or to this round of a loop
// whose rounds are divided among the threads; as it is written.
FunctionBuilder::OwnElement FunctionBuilder::own_element(const Expr* object) const {
  for (const Expr* at = bare(object);;) {
    const Expr* base = nullptr;
    const Expr* index = nullptr;
    if (const auto* member = dyn_cast<MemberExpr>(at)) {
      base = member->getBase();
    } else if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(at)) {
      index = subscript->getIdx();
      base = subscript->getBase();
    } else if (const auto* call = dyn_cast<CallExpr>(at); call != nullptr && index_of(call)) {
      index = index_of(call);
      base = receiver_of(call);
    }
    if (base == nullptr) return {only_thread(object), {}};
    if (index != nullptr) {
      if (OwnElement own = own_number(index); !own.text.empty()) return own;
    }
    at = bare(base);
  }
}

// A copy that each thread has: `sum` in a loop with reduction(+ : sum).
bool FunctionBuilder::is_private_copy(const Expr* access) const {
  if (!names_.context().getLangOpts().OpenMP) return false;
  const VarDecl* variable = first_variable(access);
  for (const Stmt* above = parent(access); above != nullptr; above = parent(above)) {
    const auto* directive = dyn_cast<OMPExecutableDirective>(above);
    if (directive != nullptr && private_variables(directive, is_private_clause).count(variable)) {
      return true;
    }
  }
  return body_.region != nullptr &&
         private_variables(body_.region, is_private_clause).count(variable) != 0;
}

// In `if (omp_get_thread_num() == 0)`: no other thread does it.
Name FunctionBuilder::only_thread(const Expr* access) const {
  if (!names_.context().getLangOpts().OpenMP) return {};
  const Stmt* below = access;
  for (const Stmt* above = parent(access); above != nullptr; above = parent(above)) {
    const auto* choice = dyn_cast<IfStmt>(above);
    const auto* equal = choice != nullptr && choice->getThen() == below
                            ? dyn_cast<BinaryOperator>(bare(choice->getCond()))
                            : nullptr;
    if (equal != nullptr && equal->getOpcode() == BO_EQ && names_.is_constant(equal->getRHS()) &&
        is_thread_number(only_value(bare(equal->getLHS())))) {
      return Name("thread " + text_of(equal->getRHS()).text());
    }
    below = above;
  }
  return {};
}

// `i`, `i + offset`, `i * width + column`: the rest must not make two rounds meet. Of a product
// it is assumed that the rest is less than the factor.
FunctionBuilder::OwnElement FunctionBuilder::own_number(const Expr* index) const {
  std::vector<const Expr*> terms = {index};
  const Expr* own = nullptr;
  Tokens given;
  bool other_varies = false;
  for (size_t i = 0; i < terms.size(); ++i) {
    const Expr* term = bare(terms[i]);
    const auto* binary = dyn_cast<BinaryOperator>(term);
    if (binary != nullptr && binary->isAdditiveOp()) {
      terms.push_back(binary->getLHS());
      terms.push_back(binary->getRHS());
    } else if (binary != nullptr && binary->getOpcode() == BO_Mul) {
      for (const Expr* factor : {binary->getLHS(), binary->getRHS()}) {
        if (OwnElement found = own_number(factor); !found.text.empty()) {
          return {text_of(term), std::move(found.number)};
        }
      }
      other_varies = true;
    } else if (is_partitioned(term)) {
      own = term;
    } else if (const std::optional<Token> number = given_number(term)) {
      other_varies = other_varies || own != nullptr;
      own = term;
      given = {*number};
    } else {
      other_varies = other_varies || varies_inside(term);
    }
  }
  if (own == nullptr || other_varies) return {};
  // The number itself has another name in every function that it is passed to.
  return {own == bare(index) && !given.empty() ? Name("#") : text_of(index), std::move(given)};
}

bool FunctionBuilder::is_partitioned(const Expr* number) const {
  const auto* reference = dyn_cast<DeclRefExpr>(number);
  const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable != nullptr && partitioned_.count(variable) != 0) return true;
  return is_thread_number(only_value(number));
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
