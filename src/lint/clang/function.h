// The summary of one function, from its control flow graph.
#pragma once

#include <memory>
#include <vector>

#include "clang/AST/ParentMap.h"
#include "clang/Analysis/CFG.h"
#include "lint/clang/flow.h"
#include "lint/clang/locks.h"
#include "lint/clang/scope.h"
#include "lint/clang/threads.h"

namespace foretrace::lint {

// What is summarised: a function, the call operator of a lambda, or a region of a
// function that runs as threads of its own.
struct Body {
  const clang::FunctionDecl* function = nullptr;
  clang::Stmt* statements = nullptr;
  std::vector<Captured> captures;
  const clang::OMPExecutableDirective* region = nullptr;
};

// The name of a region that is summarised as a function.
Name region_usr(Names& names, const clang::FunctionDecl* function,
                const clang::OMPExecutableDirective* directive);

// With the body of a captured statement, which is none of its children.
std::vector<const clang::Stmt*> children_of(const clang::Stmt* statement);

class FunctionBuilder {
 public:
  FunctionBuilder(Names& names, const Body& body, Function& function);
  // False if there is no control flow graph of it.
  bool run();
  // Regions that were found in the body and have to be summarised too.
  std::vector<Body> take_regions() { return std::move(regions_); }

 private:
  void describe();
  bool is_atomic() const;
  bool build_blocks(clang::CFG& graph);
  void element(const clang::CFGElement& element);
  void statement(const clang::Stmt* statement);
  void initialiser(const clang::CXXCtorInitializer* initialiser);
  void end_of(const clang::VarDecl* variable, clang::SourceLocation where);
  void destructor(const clang::CXXDestructorDecl* destructor, Value receiver,
                  clang::SourceLocation where);

  void read(const clang::Expr* load, const clang::Expr* object);
  void write(const clang::Expr* object, const clang::Expr* from, clang::SourceLocation where);
  void assignment(const clang::BinaryOperator* assignment);
  void declaration(const clang::VarDecl* variable);
  void construct(const clang::CXXConstructExpr* construct);
  void make_state(const clang::CXXConstructExpr* promise);
  void call(const clang::CallExpr* call);
  void plain_call(const clang::CallExpr* call);
  void use_captures(uint32_t op, const clang::LambdaExpr* lambda);
  void call_closures(const clang::CallExpr* call, llvm::ArrayRef<const clang::Expr*> arguments);
  void give_element(const clang::FunctionDecl* called, llvm::ArrayRef<const clang::Expr*> arguments,
                    Call& call);
  void copy_objects(const clang::CallExpr* call);
  bool atomic_call(const clang::CallExpr* call);
  void atomic_builtin(const clang::AtomicExpr* expression);
  void returned(const clang::ReturnStmt* statement);
  void region(const clang::OMPExecutableDirective* directive);
  void start_region(const clang::OMPExecutableDirective* directive);
  void barrier(clang::SourceLocation where);
  void dependences(bool begin);
  bool is_task() const;
  void end_region();
  Path lock_of(const clang::OMPExecutableDirective* directive) const;
  void find_regions(const clang::Stmt* statement);
  void enter_locked(const clang::Stmt* statement);
  struct OwnElement {
    Name text;      // empty: none
    Tokens number;  // see Access::number
  };
  OwnElement own_element(const clang::Expr* object) const;
  bool is_private_copy(const clang::Expr* access) const;
  Name only_thread(const clang::Expr* access) const;
  OwnElement own_number(const clang::Expr* index) const;
  // Numbers that are given to functions and threads: function_numbers.cc.
  void find_unsteady(const clang::Stmt* statement);
  bool keeps_value(const clang::DeclRefExpr* use) const;
  bool is_steady(const clang::VarDecl* variable) const;
  const clang::ForStmt* innermost_for(const clang::Stmt* at) const;
  Name index_name(const clang::Expr* index) const;
  std::optional<Token> given_number(const clang::Expr* number) const;
  bool is_counter(const clang::Expr* number, const clang::Expr* at) const;
  void mark_counters(const SpawnSite& site, const clang::Expr* whole, Spawn& spawn) const;
  bool is_partitioned(const clang::Expr* number) const;
  bool varies_inside(const clang::Expr* term) const;
  void store_arguments(const clang::CallExpr* call);
  void locks(const LockActions& actions, clang::SourceLocation where);
  Spawn started(const SpawnSite& site);
  void spawn(const SpawnSite& site, const clang::Expr* whole);
  Path handle_of(const SpawnSite& site, const clang::Expr* whole);
  Path moved_to(const Path& handle, const clang::Stmt* statement);
  bool ends_with_statement(const clang::Expr* made) const;
  void end_temporary_guard(const clang::CallExpr* call);
  void branch_conditions(const clang::CFG& graph);
  const clang::Expr* only_value(const clang::Expr* expression) const;
  void find_assigned(const clang::VarDecl* variable, const clang::Stmt* statement,
                     std::vector<const clang::Expr*>& values) const;
  void try_locks(uint32_t block, const clang::Expr* condition, bool negated);
  void loops_and_control();

  uint32_t add(clang::SourceLocation where, decltype(Op::what) what);
  // Whether others may see the object, so that its accesses matter.
  bool visible(const Path& path, const clang::Expr* expression) const;
  bool on_the_way(const clang::Expr* load) const;
  bool escapes(const clang::VarDecl* variable) const { return escaping_.count(variable) != 0; }
  void find_escaping(const clang::Stmt* statement);
  bool keeps_private(const clang::DeclRefExpr* use) const;
  const clang::Stmt* parent(const clang::Stmt* statement) const;
  // Where a new object or thread goes: a variable, a field, an allocation, a container.
  Path destination(const clang::Expr* made);

  Names& names_;
  const Body& body_;
  Function& function_;
  Scope scope_;
  Locks locks_;
  Threads threads_;
  Flow flow_;
  std::unique_ptr<clang::ParentMap> parents_;
  llvm::DenseSet<const clang::VarDecl*> escaping_;
  llvm::DenseSet<const clang::VarDecl*> unsteady_;  // that get other values
  llvm::DenseMap<const clang::VarDecl*, llvm::DenseSet<const clang::ForStmt*>>
      counters_;                                // of loops, by i++ in their heads
  llvm::DenseSet<const clang::Stmt*> skipped_;  // in regions of their own
  llvm::DenseMap<const clang::OMPExecutableDirective*, llvm::DenseSet<const clang::Stmt*>>
      locked_;  // bodies of critical sections and the like
  llvm::DenseSet<const clang::OMPExecutableDirective*> entered_;
  llvm::DenseSet<const clang::VarDecl*> partitioned_;            // loops divided among threads
  llvm::DenseMap<const clang::Stmt*, LockActions> ending_with_;  // temporary guards
  llvm::DenseMap<const clang::Expr*, Path> field_initialisers_;
  llvm::DenseMap<const clang::CFGBlock*, uint32_t> block_numbers_;
  std::vector<Body> regions_;
  uint32_t block_ = 0;  // that is being filled
  uint32_t next_op_ = 0;
};

}  // namespace foretrace::lint
