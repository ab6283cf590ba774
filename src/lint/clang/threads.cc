#include "lint/clang/threads.h"

#include <algorithm>
#include <initializer_list>

#include "lint/clang/library.h"

namespace foretrace::lint {

using namespace clang;

namespace {

bool is_thread_class(llvm::StringRef name) { return one_of(name, {"std::thread", "std::jthread"}); }

bool is_future_class(llvm::StringRef name) {
  return one_of(name, {"std::future", "std::shared_future", "QFuture"});
}

// Of a thread or future, a method that waits for it.
bool is_joining(llvm::StringRef class_name, llvm::StringRef method) {
  return (is_thread_class(class_name) && method == "join") ||
         (is_future_class(class_name) &&
          one_of(method, {"get", "wait", "waitForFinished", "result"}));
}

bool is_method_pointer(const Expr* expression) {
  return expression->getType()->isMemberFunctionPointerType();
}

// f, arguments…: a method is followed by its object. std::bind and std::mem_fn are looked
// through.
SpawnSite site_of(std::vector<const Expr*> words, std::string how) {
  SpawnSite site;
  site.how = std::move(how);
  if (words.empty()) return site;
  if (const CallExpr* bound = call_of_maker(words[0], "std::bind")) {
    const llvm::ArrayRef<const Expr*> inner = arguments_of(bound);
    words.assign(inner.begin(), inner.end());
  }
  if (const CallExpr* method = call_of_maker(words[0], "std::mem_fn")) {
    words[0] = method->getArg(0);
  }
  site.entry = words[0];
  const auto* reference = dyn_cast<CallExpr>(bare(words[0]));
  if (reference != nullptr && reference->getDirectCallee() != nullptr &&
      is_library(reference->getDirectCallee()) &&
      result_of_library_call(reference->getDirectCallee()) == LibraryResult::address_of_argument) {
    site.entry = reference->getArg(0);
    site.entry_by_reference = true;
  }
  size_t first = 1;
  if (is_method_pointer(words[0]) && words.size() > 1) {
    site.receiver = words[1];
    first = 2;
  }
  site.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  return site;
}

std::vector<const Expr*> words_of(llvm::ArrayRef<const Expr*> arguments, size_t from) {
  return {arguments.begin() + static_cast<std::ptrdiff_t>(from), arguments.end()};
}

const CXXMethodDecl* run_method(const CXXRecordDecl* record) {
  for (; record != nullptr; record = record->hasDefinition() && record->getNumBases() > 0
                                         ? record->bases_begin()->getType()->getAsCXXRecordDecl()
                                         : nullptr) {
    for (const CXXMethodDecl* method : record->methods()) {
      if (method->getIdentifier() != nullptr && method->getName() == "run" &&
          method->getNumParams() == 0) {
        return method;
      }
    }
  }
  return nullptr;
}

bool derives_from(const CXXRecordDecl* record, llvm::StringRef name) {
  if (record == nullptr || !record->hasDefinition()) return false;
  if (Names::qualified(record) == name) return true;
  return std::any_of(record->bases_begin(), record->bases_end(), [&](const CXXBaseSpecifier& base) {
    return derives_from(base.getType()->getAsCXXRecordDecl(), name);
  });
}

const CXXRecordDecl* record_of(const Expr* object) {
  const CXXRecordDecl* pointee = object->getType()->getPointeeCXXRecordDecl();
  return pointee != nullptr ? pointee : object->getType()->getAsCXXRecordDecl();
}

// QThreadPool::start(runnable) runs the object's run(), start(f) runs f. The pool is the
// handle: waitForDone() waits for all that it was given.
std::optional<SpawnSite> pool_spawn(const CallExpr* call) {
  const Expr* task = bare(call->getArg(0));
  const CXXRecordDecl* record = record_of(task);
  SpawnSite site;
  if (derives_from(record, "QRunnable")) {
    site.receiver = task;
    site.method = run_method(record);
    if (site.method == nullptr) return std::nullopt;
  } else {
    site = site_of({call->getArg(0)}, {});
  }
  site.handle_object = receiver_of(call);
  site.how = "QThreadPool";
  return site;
}

// A variable that was made by QThread::create, which is taken for the start of its thread.
bool is_created(const Expr* thread) {
  const auto* reference = dyn_cast<DeclRefExpr>(thread);
  const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable == nullptr || variable->getInit() == nullptr) return false;
  const auto* call = dyn_cast<CallExpr>(bare(variable->getInit()));
  return call != nullptr && call->getDirectCallee() != nullptr &&
         name_of(call->getDirectCallee()) == "QThread::create";
}

// std::launch::deferred, and not async as well.
bool is_deferred(const Expr* policy) {
  const auto* word = dyn_cast<DeclRefExpr>(bare(policy));
  return word != nullptr && word->getDecl()->getName() == "deferred";
}

// A copied handle is the one that it was copied from: for (pthread_t t : threads).
const Expr* original_of(const Expr* handle) {
  const auto* reference = dyn_cast<DeclRefExpr>(handle);
  const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable == nullptr || variable->getInit() == nullptr || variable->hasGlobalStorage() ||
      variable->getType()->isReferenceType()) {
    return handle;
  }
  const auto* load = dyn_cast<ImplicitCastExpr>(variable->getInit()->IgnoreParens());
  return load != nullptr && load->getCastKind() == CK_LValueToRValue ? load->getSubExpr() : handle;
}

std::optional<SpawnSite> method_spawn(const CallExpr* call, const FunctionDecl* callee) {
  const Expr* receiver = receiver_of(call);
  if (receiver == nullptr || callee->getIdentifier() == nullptr) return std::nullopt;
  // threads.emplace_back(f, …) and the like make a thread in place.
  const QualType content = content_of(receiver->getType());
  if (!content.isNull() && is_thread_class(class_of(content)) && !content->isPointerType() &&
      one_of(callee->getName(), {"emplace_back", "emplace", "emplace_front"}) &&
      call->getNumArgs() > 0 && !is_thread_class(class_of(call->getArg(0)->getType()))) {
    return site_of(words_of(arguments_of(call), 0), class_of(content));
  }
  const CXXRecordDecl* record = record_of(bare(receiver));  // not of the base class
  if (callee->getName() == "start" && derives_from(record, "QThread") &&
      !is_created(bare(receiver))) {
    SpawnSite site;
    site.receiver = receiver;
    site.method = run_method(record);
    site.handle_is_receiver = true;
    site.how = "QThread";
    if (site.method != nullptr) return site;
  }
  if (derives_from(record, "QThreadPool") && call->getNumArgs() > 0 &&
      one_of(callee->getName(), {"start", "tryStart"})) {
    return pool_spawn(call);
  }
  return std::nullopt;
}

}  // namespace

std::optional<SpawnSite> Threads::spawn(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr) return std::nullopt;
  if (auto site = method_spawn(call, callee)) return site;
  if (callee->getIdentifier() == nullptr) return std::nullopt;
  const llvm::ArrayRef<const Expr*> arguments = arguments_of(call);
  const llvm::StringRef word = callee->getName();
  if (word == "pthread_create" && arguments.size() == 4) {
    SpawnSite site = site_of({arguments[2], arguments[3]}, "pthread_create");
    site.handle_pointer = arguments[0];
    return site;
  }
  if (word == "thrd_create" && arguments.size() == 3) {
    SpawnSite site = site_of({arguments[1], arguments[2]}, "thrd_create");
    site.handle_pointer = arguments[0];
    return site;
  }
  if (!one_of(word, {"async", "run", "create", "make_unique", "make_shared"})) return std::nullopt;
  const std::string name = name_of(callee);
  if (name == "std::async" && !arguments.empty()) {
    const bool policy = arguments[0]->getType()->isEnumeralType();
    if (policy && arguments.size() < 2) return std::nullopt;
    SpawnSite site = site_of(words_of(arguments, policy ? 1 : 0), name);
    site.deferred = policy && is_deferred(arguments[0]);
    return site;
  }
  if ((name == "QtConcurrent::run" || name == "QThread::create") && !arguments.empty()) {
    return site_of(words_of(arguments, 0), name);
  }
  if ((name == "std::make_unique" || name == "std::make_shared") && !arguments.empty()) {
    const QualType content = content_of(call->getType());
    if (!content.isNull() && is_thread_class(class_of(content))) {
      return site_of(words_of(arguments, 0), class_of(content));
    }
  }
  return std::nullopt;
}

std::optional<SpawnSite> Threads::spawn(const CXXConstructExpr* construct) {
  const std::string name = class_of(construct->getType());
  if (!is_thread_class(name) || construct->getNumArgs() == 0 ||
      construct->getConstructor()->isCopyOrMoveConstructor()) {
    return std::nullopt;
  }
  std::vector<const Expr*> words(construct->arguments().begin(), construct->arguments().end());
  return site_of(std::move(words), name);
}

// std::for_each(threads.begin(), threads.end(), std::mem_fn(&std::thread::join)), and with a range.
std::optional<Path> Threads::joined_for_each(const CallExpr* call) {
  const std::string name = name_of(call->getDirectCallee());
  llvm::ArrayRef<const Expr*> arguments = arguments_of(call);
  while (!arguments.empty() && isa<CXXDefaultArgExpr>(arguments.back())) {
    arguments = arguments.drop_back();
  }
  const bool is_range = arguments.size() == 2;
  if (!llvm::StringRef(name).contains("for_each") || arguments.size() < 2) return std::nullopt;
  const auto* method = dyn_cast_or_null<CXXMethodDecl>(function_of(arguments[is_range ? 1 : 2]));
  if (method == nullptr || method->getIdentifier() == nullptr ||
      !is_joining(Names::qualified(method->getParent()), method->getName())) {
    return std::nullopt;
  }
  if (!is_range) {
    const Value element = scope_.value(arguments[0]);
    return element.kind == Value::Kind::address_of ? element.path : Path{};
  }
  Path path = scope_.object(arguments[0]);
  if (path.known()) path.steps.push_back({Step::Kind::element, {}});
  return path;
}

std::optional<Path> Threads::join(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr) return std::nullopt;
  if (const auto elements = joined_for_each(call)) return elements;
  if (callee->getIdentifier() == nullptr) return std::nullopt;
  const llvm::StringRef name = callee->getName();
  const Expr* receiver = receiver_of(call);
  if (receiver == nullptr) {
    if (one_of(name, {"pthread_join", "thrd_join"}) && call->getNumArgs() > 0) {
      return scope_.object(original_of(bare(call->getArg(0))));
    }
    return std::nullopt;
  }
  // Not of the base class: future::wait is a method of std::__basic_future.
  const std::string class_name = class_of(bare(receiver)->getType());
  const bool joins = is_joining(class_name, name) ||
                     (name == "wait" && derives_from(record_of(receiver), "QThread")) ||
                     (name == "waitForDone" && derives_from(record_of(receiver), "QThreadPool"));
  if (!joins) return std::nullopt;
  return receiver->getType()->isPointerType() ? scope_.pointee(receiver) : scope_.object(receiver);
}

const CXXMethodDecl* Threads::call_operator(QualType type) {
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr || record->isLambda() || is_library(record)) return nullptr;
  for (const CXXMethodDecl* method : record->methods()) {
    if (method->getOverloadedOperator() == OO_Call) return method;
  }
  return nullptr;
}

bool Threads::is_constructor(const FunctionDecl* function) {
  const auto* constructor = dyn_cast_or_null<CXXConstructorDecl>(function);
  return constructor != nullptr && is_thread_class(Names::qualified(constructor->getParent()));
}

bool Threads::is_handle(QualType type) {
  const std::string name = class_of(type);
  if (is_thread_class(name) || is_future_class(name)) return true;
  const QualType content = content_of(type);
  return !content.isNull() && is_handle(content);
}

bool Threads::joins_at_end(QualType type) {
  if (type->isPointerType() || type->isReferenceType()) return false;
  const std::string name = class_of(type);
  if (name == "std::jthread" || name == "std::future") return true;
  const QualType content = content_of(type);
  return !content.isNull() && name != "std::promise" && joins_at_end(content);
}

}  // namespace foretrace::lint
