// Clang's declarations and places in the words of summaries.
#pragma once

#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "lint/summary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace foretrace::lint {

class Names {
 public:
  explicit Names(clang::ASTContext& context)
      : context_(context), sources_(context.getSourceManager()) {}

  // Clang's USR, and what it needs to be unique in a program: other files may have names
  // like it, other lambdas too.
  Name usr(const clang::Decl* decl);
  // "Bank::transfer", without template arguments.
  static std::string qualified(const clang::NamedDecl* decl);
  // "Account::balance". The members of a union are one memory and have one name: "Value::a/b".
  Name field(const clang::FieldDecl* field);
  // The name of a type without const; "Account" for a record.
  Name type(clang::QualType type);
  // Where it stands in a file, macros looked through to where they are used.
  Position position(clang::SourceLocation location);
  bool in_system_header(const clang::Decl* decl);

  // Whether its value is known here.
  bool is_constant(const clang::Expr* number) {
    return !number->isValueDependent() && number->isIntegerConstantExpr(context());
  }
  clang::ASTContext& context() { return context_; }

 private:
  void complete(const clang::Decl* decl, llvm::SmallVectorImpl<char>& usr);
  Name file(clang::FileID id);

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  llvm::DenseMap<const clang::Decl*, Name> usrs_;
  llvm::DenseMap<const clang::FieldDecl*, Name> fields_;
  llvm::DenseMap<const clang::Type*, Name> types_;
  llvm::DenseMap<clang::FileID, Name> files_;
};

}  // namespace foretrace::lint
