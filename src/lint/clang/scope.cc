#include "lint/clang/scope.h"

#include <array>

#include "clang/Basic/SourceManager.h"
#include "lint/clang/library.h"

namespace foretrace::lint {

using namespace clang;

bool is_library(const Decl* decl) {
  const SourceManager& sources = decl->getASTContext().getSourceManager();
  const SourceLocation location = decl->getLocation();
  return location.isInvalid() || sources.isInSystemHeader(sources.getExpansionLoc(location));
}

namespace {

// What changes nothing about which object or value is meant, but for casts.
const Expr* unwrapped(const Expr* expression) {
  while (true) {
    expression = expression->IgnoreParens();
    if (const auto* full = dyn_cast<FullExpr>(expression)) {
      expression = full->getSubExpr();
    } else if (const auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expression)) {
      expression = temporary->getSubExpr();
    } else if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(expression)) {
      expression = bound->getSubExpr();
    } else if (const auto* argument = dyn_cast<CXXDefaultArgExpr>(expression)) {
      expression = argument->getExpr();
    } else if (const auto* initialiser = dyn_cast<CXXDefaultInitExpr>(expression)) {
      expression = initialiser->getExpr();
    } else if (const auto* list = dyn_cast<InitListExpr>(expression);
               list != nullptr && list->getNumInits() == 1 && !is_made_of_parts(list)) {
      expression = list->getInit(0);
    } else {
      return expression;
    }
  }
}

const Expr* last_of(const StmtExpr* statements) {
  const Stmt* last = statements->getSubStmt()->body_back();
  return dyn_cast_or_null<Expr>(last);
}

Value address_of(Path path) {
  Value value;
  value.kind = path.known() ? Value::Kind::address_of : Value::Kind::other;
  value.path = std::move(path);
  return value;
}

Value value_of(Path path) {
  Value value;
  value.kind = path.known() ? Value::Kind::value_of : Value::Kind::other;
  value.path = std::move(path);
  return value;
}

// Of a class that is none of a library's, nor a lambda's.
bool is_own_class(const Expr* expression) {
  const CXXRecordDecl* record = expression->getType()->getAsCXXRecordDecl();
  return record != nullptr && !record->isLambda() && !is_library(record);
}

// `&f` and `&Class::f`: the function that is meant.
const FunctionDecl* function_named(const Expr* expression) {
  const auto* reference = dyn_cast<DeclRefExpr>(unwrapped(expression));
  return reference != nullptr ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
}

}  // namespace

const Expr* bare(const Expr* expression) {
  while (true) {
    expression = unwrapped(expression);
    if (const auto* cast = dyn_cast<CastExpr>(expression)) {
      expression = cast->getSubExpr();
    } else if (const auto* call = dyn_cast<CallExpr>(expression);
               call != nullptr && passes_argument_on(call)) {
      expression = call->getArg(0);
    } else {
      return expression;
    }
  }
}

Scope::Scope(Names& names, Function& function, std::vector<Captured> captures)
    : names_(names), function_(function), captures_(std::move(captures)) {}

std::optional<uint32_t> Scope::call(const Expr* expression) const {
  const auto found = calls_.find(expression);
  return found != calls_.end() ? std::optional(found->second) : std::nullopt;
}

Path Scope::allocation(const Expr* expression) {
  const auto [entry, fresh] =
      allocations_.try_emplace(expression, static_cast<uint32_t>(function_.allocations.size()));
  if (fresh) {
    QualType type = expression->getType();
    if (const auto* made = dyn_cast<CXXNewExpr>(expression)) type = made->getAllocatedType();
    if (const QualType content = content_of(type); !content.isNull() && isa<CallExpr>(expression)) {
      type = content;  // make_shared
    }
    function_.allocations.push_back(
        {names_.type(type), block_, names_.position(expression->getExprLoc())});
  }
  const Path path{Path::Root::heap, entry->second, {}, {}};
  if (const auto* made = dyn_cast<CXXNewExpr>(expression); fresh && made && !made->isArray()) {
    bind(path, made->getInitializer());
  }
  return path;
}

Path Scope::deref(Path path, QualType pointee_type) {
  if (path.known()) path.steps.push_back({Step::Kind::deref, names_.type(pointee_type)});
  return path;
}

Path Scope::deref(const Value& pointer, QualType pointee_type) {
  if (pointer.kind == Value::Kind::address_of) return pointer.path;
  if (pointer.kind == Value::Kind::value_of) return deref(pointer.path, pointee_type);
  return {};
}

std::optional<uint32_t> Scope::capture_of(const ValueDecl* variable) const {
  for (size_t i = 0; i < captures_.size(); ++i) {
    if (captures_[i].variable == variable) return static_cast<uint32_t>(i);
  }
  return std::nullopt;
}

Path Scope::self(const CXXThisExpr* expression) {
  const std::optional<uint32_t> capture = capture_of(nullptr);
  if (!capture) return {Path::Root::self, 0, {}, {}};
  const Path captured{Path::Root::capture, *capture, {}, {}};
  // [*this] is a copy: its address is the capture's.
  return captures_[*capture].by_reference
             ? captured
             : deref(captured, expression->getType()->getPointeeType());
}

Path Scope::local(const VarDecl* variable) {
  const auto [entry, fresh] =
      locals_.try_emplace(variable, static_cast<uint32_t>(function_.locals.size()));
  if (fresh) {
    function_.locals.push_back({variable->getNameAsString(), names_.type(variable->getType()),
                                names_.position(variable->getLocation())});
  }
  return {Path::Root::local, entry->second, {}, {}};
}

Path Scope::variable(const VarDecl* variable) {
  const QualType type = variable->getType();
  const bool reference = type->isReferenceType();
  const auto finish = [&](Path path) { return reference ? deref(std::move(path), type) : path; };
  if (const std::optional<uint32_t> capture = capture_of(variable)) {
    const Path path{Path::Root::capture, *capture, {}, {}};
    return captures_[*capture].by_reference ? deref(path, type) : path;
  }
  if (variable->hasGlobalStorage()) {
    return finish({Path::Root::global, 0, names_.usr(variable), {}});
  }
  if (const auto* parameter = dyn_cast<ParmVarDecl>(variable)) {
    return finish({Path::Root::parameter, parameter->getFunctionScopeIndex(), {}, {}});
  }
  // A reference is another name of what it was initialised with.
  if (reference && variable->getInit() != nullptr && resolving_.insert(variable).second) {
    Path target = object(variable->getInit());
    resolving_.erase(variable);
    if (target.known()) return target;
  }
  return finish(local(variable));
}

Path Scope::member(const MemberExpr* expression) {
  if (const auto* variable_member = dyn_cast<VarDecl>(expression->getMemberDecl())) {
    return variable(variable_member);
  }
  const auto* field = dyn_cast<FieldDecl>(expression->getMemberDecl());
  if (field == nullptr) return {};
  Path path =
      expression->isArrow() ? pointee(expression->getBase()) : object(expression->getBase());
  if (!path.known()) return {};
  // Members of anonymous structs and unions are those of what contains them.
  if (!field->isAnonymousStructOrUnion()) {
    path.steps.push_back({Step::Kind::field, names_.field(field)});
  }
  return field->getType()->isReferenceType() ? deref(std::move(path), field->getType()) : path;
}

Path Scope::object(const Expr* expression) {
  if (const Expr* made = made_for_the_moment(expression); made != nullptr && is_own_class(made)) {
    return temporary(made);
  }
  expression = unwrapped(expression);
  if (const auto* cast = dyn_cast<CastExpr>(expression)) return object(cast->getSubExpr());
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
    if (const auto* named = dyn_cast<VarDecl>(reference->getDecl())) return variable(named);
    const auto* binding = dyn_cast<BindingDecl>(reference->getDecl());
    return binding != nullptr && binding->getBinding() != nullptr ? object(binding->getBinding())
                                                                  : Path{};
  }
  if (const auto* field = dyn_cast<MemberExpr>(expression)) return member(field);
  if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(expression)) {
    Path path = pointee(subscript->getBase());
    // Of a pointer it is not known where in an array it begins to count.
    const auto* decay = dyn_cast<CastExpr>(unwrapped(subscript->getBase()));
    return decay != nullptr && decay->getCastKind() == CK_ArrayToPointerDecay
               ? with_index(std::move(path), subscript->getIdx())
               : path;
  }
  if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
    return unary->getOpcode() == UO_Deref ? pointee(unary->getSubExpr())
                                          : object(unary->getSubExpr());
  }
  if (const auto* binary = dyn_cast<BinaryOperator>(expression)) {
    return object(binary->isAssignmentOp() ? binary->getLHS() : binary->getRHS());
  }
  if (const auto* choice = dyn_cast<ConditionalOperator>(expression)) {
    Path first = object(choice->getTrueExpr());
    return first.known() ? first : object(choice->getFalseExpr());
  }
  if (const auto* statements = dyn_cast<StmtExpr>(expression)) {
    const Expr* last = last_of(statements);
    return last != nullptr ? object(last) : Path{};
  }
  if (const auto* call = dyn_cast<CallExpr>(expression)) return call_result(call);
  const auto made = temporaries_.find(expression);
  return made != temporaries_.end() ? Path{Path::Root::local, made->second, {}, {}} : Path{};
}

Path Scope::with_index(Path path, const Expr* index) const {
  if (!path.steps.empty() && path.steps.back().kind == Step::Kind::element && index_names_) {
    path.steps.back().index = index_names_(index);
  }
  return path;
}

Path Scope::pointee(const Expr* pointer) {
  QualType type = pointer->getType();
  if (!type->getPointeeType().isNull()) type = type->getPointeeType();
  return deref(value(pointer), type);
}

Value Scope::value(const Expr* expression) {
  expression = unwrapped(expression);
  if (const auto* cast = dyn_cast<CastExpr>(expression)) {
    const Expr* inner = cast->getSubExpr();
    switch (cast->getCastKind()) {
      case CK_LValueToRValue: {
        // Clang's own variables of a range-for have one value.
        const auto* reference = dyn_cast<DeclRefExpr>(unwrapped(inner));
        const auto* hidden =
            reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
        if (hidden != nullptr && hidden->isImplicit() && hidden->getInit() != nullptr) {
          return value(hidden->getInit());
        }
        return value_of(object(inner));
      }
      case CK_ArrayToPointerDecay:
        return first_element(inner);
      default:
        return value(inner);
    }
  }
  if (const FunctionDecl* function = function_named(expression)) {
    Value made;
    made.kind = Value::Kind::function;
    made.function = names_.usr(function);
    return made;
  }
  if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
    if (unary->getOpcode() == UO_AddrOf) {
      if (function_named(unary->getSubExpr()) != nullptr) return value(unary->getSubExpr());
      Value made = address_of(object(unary->getSubExpr()));
      const auto* element = dyn_cast<ArraySubscriptExpr>(unwrapped(unary->getSubExpr()));
      made.varies = element != nullptr && !names_.is_constant(element->getIdx());
      return made;
    }
    return unary->getOpcode() == UO_Plus ? value(unary->getSubExpr()) : value_of(object(unary));
  }
  if (const auto* self_pointer = dyn_cast<CXXThisExpr>(expression)) {
    return value_of(self(self_pointer));
  }
  if (isa<CXXNewExpr>(expression)) return address_of(allocation(expression));
  if (is_made_of_parts(expression)) return value_of(temporary(expression));
  if (const auto* lambda = dyn_cast<LambdaExpr>(expression)) return closure(lambda);
  if (const auto* construct = dyn_cast<CXXConstructExpr>(expression)) return constructed(construct);
  if (const auto* binary = dyn_cast<BinaryOperator>(expression)) {
    if (binary->isAdditiveOp()) {
      const bool left = binary->getLHS()->getType()->isPointerType();
      Value made = value(left ? binary->getLHS() : binary->getRHS());
      made.varies = made.varies || !names_.is_constant(left ? binary->getRHS() : binary->getLHS());
      if (!made.path.steps.empty()) made.path.steps.back().index = {};
      return made;
    }
    return binary->isAssignmentOp() || binary->isCommaOp() ? value(binary->getRHS()) : Value{};
  }
  if (const auto* choice = dyn_cast<ConditionalOperator>(expression)) {
    Value first = value(choice->getTrueExpr());
    return first.kind != Value::Kind::other ? first : value(choice->getFalseExpr());
  }
  if (const auto* call = dyn_cast<CallExpr>(expression)) return library_value(call);
  // An array that is passed on by reference, and becomes a pointer later: std::thread(f, array).
  if (expression->getType()->isArrayType()) return first_element(expression);
  return value_of(object(expression));
}

// What an array is as a pointer.
Value Scope::first_element(const Expr* array) {
  Path path = object(array);
  if (path.known()) {
    const QualType content = names_.context().getAsArrayType(array->getType())->getElementType();
    path.steps.push_back({Step::Kind::element, names_.type(content), Name("0")});
  }
  return address_of(std::move(path));
}

Value Scope::closure(const LambdaExpr* lambda) {
  Value made;
  made.kind = Value::Kind::function;
  made.function = names_.usr(lambda->getCallOperator());
  auto initialiser = lambda->capture_init_begin();
  for (const LambdaCapture& capture : lambda->captures()) {
    const Expr* init = initialiser != lambda->capture_init_end() ? *initialiser++ : nullptr;
    if (init == nullptr) {
      made.captures.emplace_back();
    } else if (capture.capturesThis() && capture.getCaptureKind() == LCK_This) {
      made.captures.push_back(value(init));
    } else {
      made.captures.push_back(argument(init, capture.getCaptureKind() == LCK_ByRef));
    }
  }
  return made;
}

// A copy has what the original has. A library's object that is made of one
// pointer or function (a smart pointer, std::function) has that.
Value Scope::constructed(const CXXConstructExpr* construct) {
  const CXXConstructorDecl* constructor = construct->getConstructor();
  if (construct->getNumArgs() == 0) return {};
  const Expr* first = construct->getArg(0);
  if (constructor->isCopyOrMoveConstructor()) {
    Value made = value_of(object(first));
    return made.kind == Value::Kind::other ? value(first) : made;
  }
  // A string has a copy of its characters, and no pointer to where they came from.
  if (!is_library(constructor) || class_of(construct->getType()) == "std::basic_string") return {};
  Value made = value(first);
  return made.kind == Value::Kind::value_of && !first->getType()->isPointerType() &&
                 !first->getType()->isRecordType()
             ? Value{}
             : made;
}

Path Scope::call_result(const CallExpr* call) {
  if (std::optional<Path> known = library_object(call)) return std::move(*known);
  const std::optional<uint32_t> op = this->call(call);
  if (!op) return {};
  Path path{Path::Root::result, *op, {}, {}};
  return call->isGLValue() ? deref(std::move(path), call->getType()) : path;
}

std::optional<Path> Scope::library_object(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr || !is_library(callee)) return std::nullopt;
  const Expr* receiver = receiver_of(call);
  switch (result_of_library_call(callee)) {
    case LibraryResult::argument:
      return object(call->getArg(0));
    case LibraryResult::receiver:
      return receiver != nullptr ? object(receiver) : Path{};
    case LibraryResult::element: {
      Path path = receiver != nullptr ? object(receiver) : Path{};
      if (path.known()) path.steps.push_back({Step::Kind::element, names_.type(call->getType())});
      const Expr* index = index_of(call);
      return index != nullptr ? with_index(std::move(path), index) : path;
    }
    case LibraryResult::pointee: {
      if (receiver == nullptr) return Path{};
      QualType type = call->getType();
      if (!type->getPointeeType().isNull()) type = type->getPointeeType();
      // The receiver is an iterator or a smart pointer: a value that points.
      return deref(value(receiver), type);
    }
    default:
      return std::nullopt;
  }
}

Value Scope::library_value(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  const LibraryResult result = callee != nullptr && is_library(callee)
                                   ? result_of_library_call(callee)
                                   : LibraryResult::other;
  const Expr* receiver = receiver_of(call);
  if (makes_function_pointer(call)) return value(receiver);
  // What it is bound to is not followed: the object is some object of its class then.
  if (callee != nullptr && one_of(name_of(callee), {"std::bind", "std::mem_fn"}) &&
      call->getNumArgs() > 0) {
    return value(call->getArg(0));
  }
  switch (result) {
    case LibraryResult::allocation:
      return address_of(allocation(call));
    case LibraryResult::argument:
      return value(call->getArg(0));
    case LibraryResult::address_of_argument:
      return address_of(object(call->getArg(0)));
    case LibraryResult::iterator: {
      Path path = receiver != nullptr ? object(receiver) : Path{};
      if (!path.known()) return {};
      QualType type = call->getType();
      if (!type->getPointeeType().isNull()) type = type->getPointeeType();
      const bool first = callee->getIdentifier() != nullptr &&
                         one_of(callee->getName(), {"begin", "cbegin", "data"});
      path.steps.push_back({Step::Kind::element, names_.type(type), first ? Name("0") : Name()});
      return address_of(std::move(path));
    }
    case LibraryResult::held_pointer:
      return receiver != nullptr ? value(receiver) : Value{};
    case LibraryResult::element:
    case LibraryResult::receiver:
    case LibraryResult::pointee:
      return value_of(object(call));
    case LibraryResult::other:
      break;
  }
  return value_of(call_result(call));
}

}  // namespace foretrace::lint
