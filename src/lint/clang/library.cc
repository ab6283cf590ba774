#include "lint/clang/library.h"

#include <array>
#include <initializer_list>
#include <string_view>

#include "clang/AST/DeclTemplate.h"
#include "lint/clang/names.h"
#include "lint/clang/scope.h"
#include "llvm/ADT/DenseMap.h"

namespace foretrace::lint {

using namespace clang;

namespace {

llvm::StringRef identifier(const FunctionDecl* callee) {
  return callee->getIdentifier() != nullptr ? callee->getName() : llvm::StringRef();
}

// Whether an object has its value in itself, though it is used like a pointer.
bool is_optional(const FunctionDecl* callee) {
  const auto* const method = dyn_cast<CXXMethodDecl>(callee);
  return method != nullptr && one_of(method->getParent()->getName(), {"optional", "expected"});
}

LibraryResult result_of_operator(const FunctionDecl* callee) {
  switch (callee->getOverloadedOperator()) {
    case OO_Subscript:
      return LibraryResult::element;
    case OO_Star:
      return is_optional(callee) ? LibraryResult::element : LibraryResult::pointee;
    case OO_Arrow:
      return is_optional(callee) ? LibraryResult::iterator : LibraryResult::held_pointer;
    case OO_Equal:
    case OO_PlusEqual:
    case OO_PlusPlus:
    case OO_MinusMinus:
      return LibraryResult::receiver;
    case OO_Plus:
    case OO_Minus:
      return LibraryResult::argument;  // of iterators
    default:
      return LibraryResult::other;
  }
}

LibraryResult result_of_method(const FunctionDecl* callee) {
  const llvm::StringRef name = identifier(callee);
  if (one_of(name, {"at", "front", "back", "top", "emplace_back", "emplace_front"})) {
    return LibraryResult::element;
  }
  if (one_of(name, {"begin", "end", "cbegin", "cend", "rbegin", "rend", "crbegin", "crend", "find",
                    "lower_bound", "upper_bound", "data", "c_str", "insert", "erase", "emplace"})) {
    return LibraryResult::iterator;
  }
  if (one_of(name, {"get", "lock", "release", "base", "shared_from_this", "get_future", "share"})) {
    return LibraryResult::held_pointer;
  }
  return name == "value" && is_optional(callee) ? LibraryResult::element : LibraryResult::other;
}

}  // namespace

bool one_of(llvm::StringRef word, std::initializer_list<llvm::StringRef> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

LibraryResult result_of_library_call(const FunctionDecl* callee) {
  if (callee->getOverloadedOperator() != OO_None) return result_of_operator(callee);
  if (isa<CXXMethodDecl>(callee)) return result_of_method(callee);
  const llvm::StringRef name = identifier(callee);
  if (one_of(name, {"move", "forward", "as_const", "launder", "begin", "end", "cbegin", "cend",
                    "next", "prev", "get", "static_pointer_cast", "dynamic_pointer_cast", "find",
                    "find_if", "min_element", "max_element", "lower_bound", "upper_bound"}) &&
      callee->getNumParams() > 0) {
    return LibraryResult::argument;
  }
  if (one_of(name, {"ref", "cref", "addressof", "__addressof", "back_inserter", "front_inserter",
                    "inserter"})) {
    return LibraryResult::address_of_argument;
  }
  if (one_of(name, {"malloc", "calloc", "realloc", "aligned_alloc", "strdup", "make_unique",
                    "make_shared", "allocate_shared"})) {
    return LibraryResult::allocation;
  }
  return LibraryResult::other;
}

bool passes_argument_on(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  return callee != nullptr && !isa<CXXMethodDecl>(callee) && callee->isInStdNamespace() &&
         call->getNumArgs() == 1 && one_of(identifier(callee), {"move", "forward", "as_const"});
}

bool makes_function_pointer(const CallExpr* call) {
  const auto* conversion = dyn_cast_or_null<CXXConversionDecl>(call->getDirectCallee());
  return conversion != nullptr && conversion->getParent()->isLambda();
}

const Expr* receiver_of(const CallExpr* call) {
  if (const auto* method = dyn_cast<CXXMemberCallExpr>(call)) {
    return method->getImplicitObjectArgument();
  }
  const auto* op = dyn_cast<CXXOperatorCallExpr>(call);
  const FunctionDecl* callee = call->getDirectCallee();
  if (op == nullptr || callee == nullptr || call->getNumArgs() == 0) return nullptr;
  const auto* method = dyn_cast<CXXMethodDecl>(callee);
  return method != nullptr && !method->isStatic() ? call->getArg(0) : nullptr;
}

const CallExpr* call_of_maker(const Expr* callable, llvm::StringRef name) {
  callable = bare(callable);
  if (const auto* reference = dyn_cast<DeclRefExpr>(callable)) {
    const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable == nullptr || variable->getInit() == nullptr) return nullptr;
    callable = bare(variable->getInit());
  }
  if (const auto* made = dyn_cast<CXXConstructExpr>(callable);
      made != nullptr && made->getNumArgs() == 1) {
    callable = bare(made->getArg(0));  // a copy, or a std::function of it
  }
  const auto* call = dyn_cast<CallExpr>(callable);
  const bool is_it = call != nullptr && call->getDirectCallee() != nullptr &&
                     call->getNumArgs() > 0 && name_of(call->getDirectCallee()) == name;
  return is_it ? call : nullptr;
}

const FunctionDecl* function_of(const Expr* callable) {
  if (const CallExpr* call = call_of_maker(callable, "std::mem_fn")) callable = call->getArg(0);
  callable = bare(callable);
  if (const auto* unary = dyn_cast<UnaryOperator>(callable);
      unary != nullptr && unary->getOpcode() == UO_AddrOf) {
    callable = bare(unary->getSubExpr());
  }
  const auto* reference = dyn_cast<DeclRefExpr>(callable);
  return reference != nullptr ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
}

const Expr* index_of(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  const Expr* receiver = receiver_of(call);
  if (callee == nullptr || receiver == nullptr || arguments_of(call).size() != 1) return nullptr;
  const bool is_at = callee->getIdentifier() != nullptr && callee->getName() == "at";
  if (!is_at && callee->getOverloadedOperator() != OO_Subscript) return nullptr;
  const bool is_array = one_of(class_of(receiver->getType()),
                               {"std::vector", "std::array", "std::deque", "std::span"});
  // A vector of bits has many in one word: what it returns is no reference.
  return is_array && callee->getReturnType()->isReferenceType() ? arguments_of(call)[0] : nullptr;
}

llvm::ArrayRef<const Expr*> arguments_of(const CallExpr* call) {
  const llvm::ArrayRef<const Expr*> all(
      llvm::ArrayRef<Expr*>(const_cast<CallExpr*>(call)->getArgs(), call->getNumArgs()));
  return isa<CXXOperatorCallExpr>(call) && receiver_of(call) != nullptr ? all.drop_front() : all;
}

llvm::ArrayRef<const Expr*> arguments_of(const CXXConstructExpr* construct) {
  return llvm::ArrayRef<Expr*>(const_cast<CXXConstructExpr*>(construct)->getArgs(),
                               construct->getNumArgs());
}

std::string class_of(QualType type) {
  type = type.getNonReferenceType();
  if (!type->getPointeeType().isNull()) type = type->getPointeeType();
  if (const CXXRecordDecl* record = type->getAsCXXRecordDecl()) return Names::qualified(record);
  if (const auto* alias = type->getAs<TypedefType>()) return alias->getDecl()->getNameAsString();
  return {};
}

QualType content_of(QualType type) {
  const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  const auto* special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (special == nullptr || !special->isInStdNamespace()) return {};
  for (const TemplateArgument& argument : special->getTemplateArgs().asArray()) {
    if (argument.getKind() == TemplateArgument::Type) return argument.getAsType();
  }
  return {};
}

std::string name_of(const FunctionDecl* callee) { return Names::qualified(callee); }

}  // namespace foretrace::lint
