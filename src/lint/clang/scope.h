// The objects of one function: which path an expression means, and what a value
// points to.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "lint/clang/names.h"
#include "lint/summary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace foretrace::lint {

// A variable or `this` (null) that a lambda or an OpenMP region takes from outside.
struct Captured {
  const clang::ValueDecl* variable = nullptr;
  bool by_reference = false;
};

class Scope {
 public:
  // `captures` is what the function takes from outside: by number.
  Scope(Names& names, Function& function, std::vector<Captured> captures);

  // The object that an lvalue names; of a class value, the object itself. Root
  // none: not known, or a temporary.
  Path object(const clang::Expr* expression);
  // What a pointer points to: object() of `*expression`.
  Path pointee(const clang::Expr* pointer);
  // A value, without tokens.
  Value value(const clang::Expr* expression);
  // An argument: address_of the object for a reference parameter.
  Value argument(const clang::Expr* expression, bool by_reference);
  Path variable(const clang::VarDecl* variable);

  // The ops of calls, which must be told before their results are used.
  void set_call(const clang::Expr* call, uint32_t op) { calls_[call] = op; }
  std::optional<uint32_t> call(const clang::Expr* expression) const;
  // The block that is being looked at, for what is allocated there.
  void set_block(uint32_t block) { block_ = block; }
  // Who says which element an index means (Step::index).
  using IndexNames = std::function<Name(const clang::Expr*)>;
  void set_index_names(IndexNames names) { index_names_ = std::move(names); }
  // The allocation that an expression (new, malloc, make_shared) is.
  Path allocation(const clang::Expr* expression);

  // The object that an expression makes which initialises no variable: a local of its own.
  Path temporary(const clang::Expr* made);
  // The pointers and functions that an object, or a part of it, has from then on.
  void bind(const Path& target, const clang::Expr* from);

  Names& names() { return names_; }
  Function& function() { return function_; }
  const std::vector<Captured>& captures() const { return captures_; }

 private:
  Path self(const clang::CXXThisExpr* expression);
  std::optional<uint32_t> capture_of(const clang::ValueDecl* variable) const;
  Path local(const clang::VarDecl* variable);
  Path member(const clang::MemberExpr* expression);
  Path call_result(const clang::CallExpr* call);
  std::optional<Path> library_object(const clang::CallExpr* call);
  Value library_value(const clang::CallExpr* call);
  Value closure(const clang::LambdaExpr* lambda);
  Value first_element(const clang::Expr* array);
  Value constructed(const clang::CXXConstructExpr* construct);
  void bind_parts(const Path& target, const clang::Expr* whole);
  void bind_member(const Path& target, const clang::FieldDecl* member, const clang::Expr* from);
  Path with_index(Path path, const clang::Expr* index) const;
  Path deref(Path path, clang::QualType pointee_type);
  Path deref(const Value& pointer, clang::QualType pointee_type);

  Names& names_;
  Function& function_;
  std::vector<Captured> captures_;
  llvm::DenseMap<const clang::VarDecl*, uint32_t> locals_;
  llvm::DenseMap<const clang::Expr*, uint32_t> temporaries_;
  llvm::DenseMap<const clang::Expr*, uint32_t> calls_;
  llvm::DenseMap<const clang::Expr*, uint32_t> allocations_;
  IndexNames index_names_;
  uint32_t block_ = 0;
  llvm::DenseSet<const clang::VarDecl*> resolving_;  // references, against cycles
};

// Whether it is a list of initialisers, each for its own field or element.
bool is_made_of_parts(const clang::Expr* expression);
// What a temporary is made of, if the expression names one; else null.
const clang::Expr* made_for_the_moment(const clang::Expr* expression);
// Casts, parentheses, temporaries and std::move looked through.
const clang::Expr* bare(const clang::Expr* expression);
// Whether it is declared in a system header: no summary will have its body.
bool is_library(const clang::Decl* decl);

}  // namespace foretrace::lint
