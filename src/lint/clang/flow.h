// Which values flow where inside one function: reads and calls are tokens that
// travel through local variables to writes, arguments, results and conditions.
#pragma once

#include <map>
#include <vector>

#include "clang/AST/Expr.h"
#include "lint/clang/scope.h"
#include "lint/summary.h"

namespace foretrace::lint {

class Flow {
 public:
  explicit Flow(Scope& scope) : scope_(scope) {}

  // Facts about the function, in the order of execution within `block`.
  void read(const clang::Expr* expression, uint32_t op) { reads_[expression] = op; }
  void assign(uint32_t block, const clang::VarDecl* variable, const clang::Expr* from, bool adds);
  void assign_result(uint32_t block, const clang::VarDecl* variable, uint32_t op);
  enum class Sink : uint8_t { uses, receiver, through, capture, argument, returned, condition };
  void use(uint32_t block, uint32_t op, Sink sink, size_t argument, const clang::Expr* from);

  // Fills the tokens of all ops and conditions.
  void run(Function& function);

 private:
  struct Action {
    const clang::VarDecl* variable = nullptr;  // assigned; null: a use
    const clang::Expr* from = nullptr;         // null: the result of `op`
    uint32_t op = 0;
    Sink sink = Sink::uses;
    size_t argument = 0;
    bool adds = false;  // to what the variable had
  };
  using State = std::map<const clang::VarDecl*, Tokens>;

  void apply(const Action& action, State& state) const;
  void tokens(const clang::Stmt* expression, const State& state, Tokens& found) const;
  void variable_tokens(const clang::VarDecl* variable, const State& state, Tokens& found) const;
  Tokens tokens(const clang::Expr* expression, const State& state) const;

  Scope& scope_;
  llvm::DenseMap<const clang::Stmt*, uint32_t> reads_;
  std::vector<std::vector<Action>> actions_;  // by block
};

// The local variable that an lvalue is or is a part of; else null.
const clang::VarDecl* base_variable(const clang::Expr* expression);

}  // namespace foretrace::lint
