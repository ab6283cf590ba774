// What the front end knows of the C and C++ libraries by name: what a call's result
// refers to. What calls read and write is in the models' data file instead.
#pragma once

#include <initializer_list>
#include <string>

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"

namespace foretrace::lint {

bool one_of(llvm::StringRef word, std::initializer_list<llvm::StringRef> list);

enum class LibraryResult {
  other,                // nothing is known
  argument,             // the first argument itself: std::move
  address_of_argument,  // points to it: std::ref, std::addressof
  receiver,             // the object that the method is called on: operator=
  element,              // an element of it: v[i], v.front()
  pointee,              // what it points to: *it
  iterator,             // points to an element: v.begin(), s.data()
  held_pointer,         // the pointer in it: p.get(), p->
  allocation,           // points to a new object: malloc, std::make_unique
};
LibraryResult result_of_library_call(const clang::FunctionDecl* callee);

// std::move and the like.
bool passes_argument_on(const clang::CallExpr* call);
// A lambda without captures that becomes a pointer to a function.
bool makes_function_pointer(const clang::CallExpr* call);

// What is called by std::mem_fn(&Class::method), &Class::method or f; also of a variable that was
// made so. Else null.
const clang::FunctionDecl* function_of(const clang::Expr* callable);
// The call of std::bind or std::mem_fn that an expression is, or that its variable was made by;
// else null.
const clang::CallExpr* call_of_maker(const clang::Expr* callable, llvm::StringRef name);

// The object of a method, and of an operator that is a method; else null.
const clang::Expr* receiver_of(const clang::CallExpr* call);

// The number of v[i] and v.at(i), of containers that have each element in memory of its own;
// else null.
const clang::Expr* index_of(const clang::CallExpr* call);

// The arguments without the receiver.
llvm::ArrayRef<const clang::Expr*> arguments_of(const clang::CallExpr* call);
llvm::ArrayRef<const clang::Expr*> arguments_of(const clang::CXXConstructExpr* construct);

// "std::vector", "pthread_mutex_t": the class or typedef behind references and
// pointers; without template arguments.
std::string class_of(clang::QualType type);
// The type of what a container or smart pointer contains.
clang::QualType content_of(clang::QualType type);
// "std::thread::join" without inline namespaces and template arguments.
std::string name_of(const clang::FunctionDecl* callee);

}  // namespace foretrace::lint
