// FunctionBuilder: numbers that say which element is meant. Whether a variable keeps its
// value, and whether each thread is given another number.
#include "lint/clang/function.h"
#include "lint/clang/library.h"

namespace foretrace::lint {

using namespace clang;

namespace {

const VarDecl* variable_in(const Expr* expression) {
  const auto* reference = dyn_cast<DeclRefExpr>(bare(expression));
  return reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

// The variables of an expression that is made of numbers and variables alone.
bool collect_variables(const Expr* expression, std::vector<const VarDecl*>& variables) {
  expression = bare(expression);
  if (isa<IntegerLiteral>(expression)) return true;
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
    const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable != nullptr) variables.push_back(variable);
    return variable != nullptr || isa<EnumConstantDecl>(reference->getDecl());
  }
  if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
    return unary->isArithmeticOp() && collect_variables(unary->getSubExpr(), variables);
  }
  const auto* binary = dyn_cast<BinaryOperator>(expression);
  return binary != nullptr && !binary->isAssignmentOp() &&
         collect_variables(binary->getLHS(), variables) &&
         collect_variables(binary->getRHS(), variables);
}

}  // namespace

// Variables that are more than read, but for the counters of loops.
void FunctionBuilder::find_unsteady(const Stmt* statement) {
  if (statement == nullptr) return;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement)) {
    const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable != nullptr && !keeps_value(reference)) unsteady_.insert(variable);
    return;
  }
  if (const auto* lambda = dyn_cast<LambdaExpr>(statement)) {
    for (const LambdaCapture& capture : lambda->captures()) {
      if (!capture.capturesVariable() || capture.getCaptureKind() != LCK_ByRef) continue;
      if (const auto* variable = dyn_cast<VarDecl>(capture.getCapturedVar())) {
        unsteady_.insert(variable);
      }
    }
    return;
  }
  const auto* loop = dyn_cast<ForStmt>(statement);
  const Stmt* step = loop != nullptr ? loop->getInc() : nullptr;
  const VarDecl* counter = nullptr;
  if (const auto* unary = dyn_cast_or_null<UnaryOperator>(step)) {
    if (unary->isIncrementDecrementOp()) counter = variable_in(unary->getSubExpr());
  } else if (const auto* binary = dyn_cast_or_null<BinaryOperator>(step)) {
    if (binary->isCompoundAssignmentOp()) counter = variable_in(binary->getLHS());
  }
  if (counter != nullptr) counters_[counter].insert(loop);
  for (const Stmt* child : children_of(statement)) {
    if (counter == nullptr || child != step) find_unsteady(child);
  }
}

// Read, or passed to a library's constructor or method, which keeps a copy.
bool FunctionBuilder::keeps_value(const DeclRefExpr* use) const {
  const Stmt* above = parent(use);
  while (isa_and_nonnull<ParenExpr>(above)) above = parent(above);
  if (const auto* cast = dyn_cast_or_null<CastExpr>(above)) {
    return cast->getCastKind() == CK_LValueToRValue || cast->getType().isConstQualified();
  }
  if (const auto* made = dyn_cast_or_null<CXXConstructExpr>(above)) {
    return is_library(made->getConstructor());
  }
  if (const auto* call = dyn_cast_or_null<CallExpr>(above)) {
    const FunctionDecl* callee = call->getDirectCallee();
    if (callee == nullptr || !is_library(callee)) return false;
    const Expr* receiver = receiver_of(call);
    return Threads::spawn(call) ||
           (receiver != nullptr && receiver != use && !isa<CXXOperatorCallExpr>(call));
  }
  return false;
}

bool FunctionBuilder::is_steady(const VarDecl* variable) const {
  if (variable->hasGlobalStorage() || variable->getType()->isReferenceType() ||
      unsteady_.count(variable) != 0) {
    return false;
  }
  return std::none_of(body_.captures.begin(), body_.captures.end(), [&](const Captured& one) {
    return one.variable == variable && one.by_reference;
  });
}

Name FunctionBuilder::index_name(const Expr* index) const {
  if (!index->isValueDependent()) {
    if (const auto number = index->getIntegerConstantExpr(names_.context())) {
      llvm::SmallString<16> text;
      number->toString(text);
      return Name(std::string(text));
    }
  }
  std::vector<const VarDecl*> variables;
  if (!collect_variables(index, variables)) return {};
  std::string text;
  llvm::raw_string_ostream stream(text);
  index->IgnoreParenImpCasts()->printPretty(stream, nullptr, PrintingPolicy(LangOptions()));
  for (const VarDecl* variable : variables) {
    if (!is_steady(variable)) return {};
    const Position where = names_.position(variable->getLocation());
    stream << '@' << where.file.text() << ':' << where.line << ':' << where.column;
  }
  return Name(text);
}

// The parameter or capture that a number is.
std::optional<Token> FunctionBuilder::given_number(const Expr* number) const {
  const VarDecl* variable = variable_in(number);
  constexpr int kMaxNames = 4;
  for (int i = 0; i < kMaxNames && variable != nullptr && is_steady(variable); ++i) {
    for (size_t k = 0; k < body_.captures.size(); ++k) {
      if (body_.captures[k].variable != variable) continue;
      if (body_.region != nullptr) return std::nullopt;
      return Token{Token::Kind::capture, static_cast<uint32_t>(k)};
    }
    const auto* parameter = dyn_cast<ParmVarDecl>(variable);
    if (parameter != nullptr && body_.region == nullptr) {
      return Token{Token::Kind::parameter, parameter->getFunctionScopeIndex()};
    }
    if (variable->getInit() == nullptr || counters_.count(variable) != 0) return std::nullopt;
    variable = variable_in(variable->getInit());
  }
  return std::nullopt;
}

const ForStmt* FunctionBuilder::innermost_for(const Stmt* at) const {
  for (; at != nullptr; at = parent(at)) {
    if (isa<WhileStmt>(at) || isa<DoStmt>(at) || isa<CXXForRangeStmt>(at)) return nullptr;
    if (const auto* loop = dyn_cast<ForStmt>(at)) return loop;
  }
  return nullptr;
}

// Whether the number is the counter of the innermost loop around: `i`, or `id` of
// `const int id = i;` in the loop.
bool FunctionBuilder::is_counter(const Expr* number, const Expr* at) const {
  const ForStmt* loop = innermost_for(at);
  const VarDecl* variable = variable_in(number);
  if (loop == nullptr || variable == nullptr || !is_steady(variable)) return false;
  if (counters_.count(variable) == 0 && variable->getInit() != nullptr &&
      innermost_for(variable->getInit()) == loop) {
    variable = variable_in(variable->getInit());
    if (variable == nullptr || !is_steady(variable)) return false;
  }
  const auto known = counters_.find(variable);
  return known != counters_.end() && known->second.count(loop) != 0;
}

// What a thread is given of which each round of the loop that starts it has another one.
void FunctionBuilder::mark_counters(const SpawnSite& site, const Expr* whole, Spawn& spawn) const {
  for (size_t i = 0; i < site.arguments.size() && i < spawn.arguments.size(); ++i) {
    if (is_counter(site.arguments[i], whole)) spawn.arguments[i].varies = true;
  }
  const auto* lambda = site.entry != nullptr ? dyn_cast<LambdaExpr>(bare(site.entry)) : nullptr;
  if (lambda == nullptr) return;
  size_t number = 0;
  for (const Expr* init : lambda->capture_inits()) {
    const LambdaCapture& capture = *(lambda->capture_begin() + static_cast<std::ptrdiff_t>(number));
    if (number < spawn.entry.captures.size() && capture.getCaptureKind() == LCK_ByCopy &&
        init != nullptr && is_counter(init, whole)) {
      spawn.entry.captures[number].varies = true;
    }
    ++number;
  }
}

}  // namespace foretrace::lint
