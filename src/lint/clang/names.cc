#include "lint/clang/names.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Index/USRGeneration.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace foretrace::lint {
namespace {

llvm::ArrayRef<clang::TemplateArgument> template_arguments(const clang::Decl* decl) {
  if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl)) {
    const clang::TemplateArgumentList* list = function->getTemplateSpecializationArgs();
    if (list != nullptr) return list->asArray();
  } else if (const auto* record = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(decl)) {
    return record->getTemplateArgs().asArray();
  } else if (const auto* variable = llvm::dyn_cast<clang::VarTemplateSpecializationDecl>(decl)) {
    return variable->getTemplateArgs().asArray();
  }
  return {};
}

using Records = llvm::SmallVector<const clang::CXXRecordDecl*, 4>;

// The classes among template arguments, and among those of their own, that a USR does not
// tell apart: lambdas of one function, classes that only one file knows.
void add_unnamed(llvm::ArrayRef<clang::TemplateArgument> arguments, Records& found) {
  for (const clang::TemplateArgument& argument : arguments) {
    if (argument.getKind() == clang::TemplateArgument::Pack) {
      add_unnamed(argument.getPackAsArray(), found);
    }
    if (argument.getKind() != clang::TemplateArgument::Type) continue;
    clang::QualType type = argument.getAsType();
    while (!type->getPointeeType().isNull()) type = type->getPointeeType();
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (record == nullptr) continue;
    if (record->isLambda() || !record->isExternallyVisible()) found.push_back(record);
    add_unnamed(template_arguments(record), found);
  }
}

}  // namespace

Name Names::usr(const clang::Decl* decl) {
  decl = decl->getCanonicalDecl();
  auto [entry, fresh] = usrs_.try_emplace(decl);
  if (!fresh) return entry->second;
  llvm::SmallString<128> text;
  clang::index::generateUSRForDecl(decl, text);
  complete(decl, text);
  const Name name{llvm::StringRef(text)};
  usrs_[decl] = name;
  return name;
}

// A USR has only the last part of a file's name, and nothing of a lambda that is a template
// argument but the function that it stands in.
void Names::complete(const clang::Decl* decl, llvm::SmallVectorImpl<char>& usr) {
  llvm::raw_svector_ostream text(usr);
  const auto* named = llvm::dyn_cast<clang::NamedDecl>(decl);
  if (named != nullptr && !named->isExternallyVisible()) {
    text << '@' << position(decl->getLocation()).file.text();
  }
  Records unnamed;
  const clang::DeclContext* outer = decl->getDeclContext();
  for (const clang::Decl* at = decl; at != nullptr && outer != nullptr;
       at = llvm::dyn_cast<clang::Decl>(outer), outer = outer->getParent()) {
    add_unnamed(template_arguments(at), unnamed);
  }
  for (const clang::CXXRecordDecl* record : unnamed) {
    text << '@' << llvm::utohexstr(llvm::xxh3_64bits(this->usr(record).text()));
  }
}

std::string Names::qualified(const clang::NamedDecl* decl) {
  // A constructor's own name has the class's template arguments.
  const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(decl);
  std::string text = (constructor != nullptr ? constructor->getParent() : decl)->getNameAsString();
  for (const clang::DeclContext* outer = decl->getDeclContext(); outer != nullptr;
       outer = outer->getParent()) {
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(outer);
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(outer);
    const bool unwritten = space != nullptr && (space->isInline() || space->isAnonymousNamespace());
    if (named == nullptr || unwritten || named->getNameAsString().empty()) continue;
    text = named->getNameAsString() + "::" + text;
  }
  return text;
}

Name Names::field(const clang::FieldDecl* field) {
  auto [entry, fresh] = fields_.try_emplace(field->getCanonicalDecl());
  if (!fresh) return entry->second;
  std::string text = qualified(field);
  if (field->getParent()->isUnion()) {
    text.resize(text.size() - field->getName().size());
    text += llvm::join(llvm::map_range(field->getParent()->fields(),
                                       [](const auto* member) { return member->getName(); }),
                       "/");
  }
  entry->second = Name(text);
  return entry->second;
}

Name Names::type(clang::QualType type) {
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (type.isNull()) return {};
  auto [entry, fresh] = types_.try_emplace(type.getTypePtr());
  if (!fresh) return entry->second;
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  const Name name{record != nullptr && record->getIdentifier() != nullptr
                      ? qualified(record)
                      : type.getAsString(context_.getPrintingPolicy())};
  types_[type.getTypePtr()] = name;
  return name;
}

Name Names::file(clang::FileID id) {
  auto [entry, fresh] = files_.try_emplace(id);
  if (!fresh) return entry->second;
  Name name;
  if (const auto file = sources_.getFileEntryRefForID(id)) {
    llvm::SmallString<256> path(file->getName());
    sources_.getFileManager().makeAbsolutePath(path);
    llvm::sys::path::remove_dots(path, true);
    name = Name(llvm::StringRef(path));
  }
  files_[id] = name;
  return name;
}

Position Names::position(clang::SourceLocation location) {
  if (location.isInvalid()) return {};
  const auto [id, offset] = sources_.getDecomposedLoc(sources_.getFileLoc(location));
  return {file(id), sources_.getLineNumber(id, offset), sources_.getColumnNumber(id, offset)};
}

bool Names::in_system_header(const clang::Decl* decl) {
  const clang::SourceLocation location = decl->getLocation();
  return location.isInvalid() || sources_.isInSystemHeader(sources_.getExpansionLoc(location));
}

}  // namespace foretrace::lint
