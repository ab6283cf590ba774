// Which expressions start threads and wait for them.
#pragma once

#include <optional>
#include <string>

#include "lint/clang/scope.h"

namespace foretrace::lint {

struct SpawnSite {
  const clang::Expr* entry = nullptr;
  bool entry_by_reference = false;        // std::ref(functor)
  const clang::Expr* receiver = nullptr;  // if the entry is a method
  std::vector<const clang::Expr*> arguments;
  // Where the thread's handle is written to, if the call has a parameter for it;
  // else the handle is the result.
  const clang::Expr* handle_pointer = nullptr;
  // A method of the receiver that is started: QThread::run.
  const clang::CXXMethodDecl* method = nullptr;
  bool handle_is_receiver = false;
  const clang::Expr* handle_object = nullptr;  // what all of its threads are waited for with
  bool deferred = false;                       // no thread: who waits for it does it
  std::string how;
};

class Threads {
 public:
  explicit Threads(Scope& scope) : scope_(scope) {}

  static std::optional<SpawnSite> spawn(const clang::CallExpr* call);
  static std::optional<SpawnSite> spawn(const clang::CXXConstructExpr* construct);
  // The handle of what a call waits for.
  std::optional<Path> join(const clang::CallExpr* call);
  // Whether the end of such a variable waits for its thread; of a container: for all.
  static bool joins_at_end(clang::QualType type);
  // Of a class of the user's that is no lambda; else null.
  static const clang::CXXMethodDecl* call_operator(clang::QualType type);
  // Of std::thread itself. Its body must be read: it is what makes Clang look at the instance
  // of a generic lambda that the thread runs.
  static bool is_constructor(const clang::FunctionDecl* function);
  // std::thread and its like, and containers and smart pointers of them.
  static bool is_handle(clang::QualType type);

 private:
  std::optional<Path> joined_for_each(const clang::CallExpr* call);

  Scope& scope_;
};

}  // namespace foretrace::lint
