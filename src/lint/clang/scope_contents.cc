// Scope: what objects are made with, and those that have no name.
#include "lint/clang/scope.h"

namespace foretrace::lint {

using namespace clang;

namespace {

// Numbers lead nowhere.
bool may_point(QualType type) {
  return type->isAnyPointerType() || type->isRecordType() || type->isMemberPointerType() ||
         type->isArrayType();
}

llvm::ArrayRef<Expr*> parts_of(const Expr* whole) {
  auto* changeable = const_cast<Expr*>(whole);  // Clang has no other list of them
  if (auto* list = dyn_cast<InitListExpr>(changeable)) return list->inits();
  return cast<CXXParenListInitExpr>(changeable)->getInitExprs();
}

const FieldDecl* member_of_union(const Expr* whole) {
  if (const auto* list = dyn_cast<InitListExpr>(whole)) return list->getInitializedFieldInUnion();
  return cast<CXXParenListInitExpr>(whole)->getInitializedFieldInUnion();
}

// In the order of their initialisers; null for a base class.
llvm::SmallVector<const FieldDecl*, 8> members_of(const RecordDecl* record, const Expr* whole) {
  if (record->isUnion()) return {member_of_union(whole)};
  llvm::SmallVector<const FieldDecl*, 8> members;
  if (const auto* derived = dyn_cast<CXXRecordDecl>(record)) {
    members.resize(derived->getNumBases(), nullptr);
  }
  for (const FieldDecl* field : record->fields()) {
    if (!field->isUnnamedBitField()) members.push_back(field);
  }
  return members;
}

}  // namespace

// `Account{&bank, 7}`: each part goes to a place of its own.
bool is_made_of_parts(const Expr* expression) {
  if (isa<CXXParenListInitExpr>(expression)) return true;
  const QualType type = expression->getType();
  const auto* list = dyn_cast<InitListExpr>(expression);
  return list != nullptr && (type->isRecordType() || type->isArrayType()) &&
         !(list->isSemanticForm() && list->isTransparent());
}

const Expr* made_for_the_moment(const Expr* expression) {
  while (true) {
    expression = expression->IgnoreParens();
    if (const auto* full = dyn_cast<FullExpr>(expression)) {
      expression = full->getSubExpr();
    } else if (const auto* argument = dyn_cast<CXXDefaultArgExpr>(expression)) {
      expression = argument->getExpr();
    } else {
      const auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expression);
      return temporary != nullptr ? bare(temporary->getSubExpr()) : nullptr;
    }
  }
}

void Scope::bind(const Path& target, const Expr* from) {
  if (!target.known() || from == nullptr || !may_point(from->getType())) return;
  if (const Expr* whole = bare(from); is_made_of_parts(whole)) {
    bind_parts(target, whole);
    return;
  }
  Value content = value(from);
  if (content.kind != Value::Kind::other && content.path != target) {
    function_.bindings.push_back({target, std::move(content)});
  }
}

void Scope::bind_parts(const Path& target, const Expr* whole) {
  const llvm::ArrayRef<Expr*> parts = parts_of(whole);
  const RecordDecl* record = whole->getType()->getAsRecordDecl();
  if (record == nullptr) {
    Path element = target;
    element.steps.push_back({Step::Kind::element, {}});
    for (const Expr* part : parts) bind(element, part);
    return;
  }
  const auto members = members_of(record, whole);
  for (size_t i = 0; i < parts.size() && i < members.size(); ++i) {
    bind_member(target, members[i], parts[i]);
  }
}

void Scope::bind_member(const Path& target, const FieldDecl* member, const Expr* from) {
  Path path = target;
  if (member != nullptr && !member->isAnonymousStructOrUnion()) {
    path.steps.push_back({Step::Kind::field, names_.field(member)});
  }
  if (member == nullptr || !member->getType()->isReferenceType()) {
    bind(path, from);
    return;
  }
  Value referred = argument(from, true);
  if (referred.kind != Value::Kind::other) {
    function_.bindings.push_back({std::move(path), std::move(referred)});
  }
}

Path Scope::temporary(const Expr* made) {
  const auto [entry, fresh] =
      temporaries_.try_emplace(made, static_cast<uint32_t>(function_.locals.size()));
  Path path{Path::Root::local, entry->second, {}, {}};
  if (fresh) {
    function_.locals.push_back(
        {"a temporary", names_.type(made->getType()), names_.position(made->getBeginLoc())});
    bind(path, made);
  }
  return path;
}

// What the caller has only for the call has a place too: the function gets its address.
Value Scope::argument(const Expr* expression, bool by_reference) {
  if (!by_reference) return value(expression);
  Value made;
  made.kind = Value::Kind::address_of;
  made.path = object(expression);
  const bool is_result = made.path.root == Path::Root::result && made.path.steps.empty();
  if (made.path.known() && !is_result) return made;
  Value content = value(expression);
  const Expr* moment = made_for_the_moment(expression);
  if (moment == nullptr || content.kind == Value::Kind::other || !may_point(moment->getType())) {
    return made.path.known() ? made : content;
  }
  made.path = temporary(moment);
  return made;
}

}  // namespace foretrace::lint
