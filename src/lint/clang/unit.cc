#include "lint/clang/unit.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"
#include "lint/clang/function.h"
#include "lint/clang/sources.h"
#include "lint/ignores.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace foretrace::lint {

using namespace clang;

namespace {

std::vector<Captured> captures_of(const FunctionDecl* function) {
  std::vector<Captured> captures;
  const auto* method = dyn_cast<CXXMethodDecl>(function);
  if (method == nullptr || !method->getParent()->isLambda()) return captures;
  for (const LambdaCapture& capture : method->getParent()->captures()) {
    if (capture.capturesThis()) {
      captures.push_back({nullptr, capture.getCaptureKind() == LCK_This});
    } else if (capture.capturesVariable()) {
      captures.push_back({capture.getCapturedVar(), capture.getCaptureKind() == LCK_ByRef});
    } else {
      captures.push_back({nullptr, false});
    }
  }
  return captures;
}

// Finds the functions and globals that are the program's own.
class Finder : public RecursiveASTVisitor<Finder> {
 public:
  Finder(ASTContext& context, Summary& summary) : names_(context), summary_(summary) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }

  bool TraverseDecl(Decl* decl) {
    if (decl != nullptr && !isa<TranslationUnitDecl>(decl) && !isa<NamespaceDecl>(decl) &&
        !isa<LinkageSpecDecl>(decl) && is_library(decl)) {
      return true;
    }
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitFunctionDecl(FunctionDecl* function) {
    if (function->doesThisDeclarationHaveABody() && !function->isDefaulted()) add(function);
    return true;
  }

  // What members start with is in the constructor that nobody wrote.
  bool VisitCXXRecordDecl(CXXRecordDecl* record) {
    if (!record->isCompleteDefinition() || !record->hasInClassInitializer()) return true;
    for (CXXConstructorDecl* constructor : record->ctors()) {
      if (constructor->isDefaulted() && !constructor->isCopyOrMoveConstructor()) add(constructor);
    }
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr* lambda) {
    if (const FunctionTemplateDecl* generic =
            lambda->getLambdaClass()->getDependentLambdaCallOperator()) {
      for (FunctionDecl* special : generic->specializations()) add(special);
    } else {
      add(lambda->getCallOperator());
    }
    return true;
  }

  bool VisitVarDecl(VarDecl* variable) {
    if (!variable->hasGlobalStorage() || variable->getDeclContext()->isDependentContext()) {
      return true;
    }
    summary_.globals.push_back(
        {names_.usr(variable), Names::qualified(variable), names_.type(variable->getType()),
         names_.position(variable->getLocation()), variable->getTLSKind() != VarDecl::TLS_None});
    bind(variable);
    return true;
  }

 private:
  // The pointers that a global starts with.
  void bind(const VarDecl* variable) {
    const Expr* init = variable->getInit();
    if (init == nullptr || init->isValueDependent() || variable->isStaticLocal()) return;
    Function outside;
    Scope scope(names_, outside, {});
    const Path global{Path::Root::global, 0, names_.usr(variable), {}};
    if (variable->getType()->isReferenceType()) {
      outside.bindings.push_back({global, scope.argument(init, true)});
    } else {
      scope.bind(global, init);
    }
    for (Binding& binding : outside.bindings) {
      // Temporaries belong to no function here.
      const bool known = binding.value.kind != Value::Kind::other &&
                         binding.value.path.root != Path::Root::local &&
                         binding.target.root != Path::Root::local;
      if (known) summary_.bindings.push_back(std::move(binding));
    }
  }

  void add(FunctionDecl* function) {
    if (function->isDependentContext() || function->isInvalidDecl() ||
        function->getBody() == nullptr) {
      return;
    }
    std::vector<Body> bodies{{function, function->getBody(), captures_of(function), nullptr}};
    for (size_t i = 0; i < bodies.size(); ++i) {
      const Body body = bodies[i];
      Function made;
      FunctionBuilder builder(names_, body, made);
      if (!builder.run()) continue;
      summary_.functions.push_back(std::move(made));
      for (Body& region : builder.take_regions()) bodies.push_back(std::move(region));
    }
  }

  Names names_;
  Summary& summary_;
};

class Consumer : public ASTConsumer {
 public:
  Consumer(Summary& summary, const Sources& sources) : summary_(summary), sources_(sources) {}

  bool shouldSkipFunctionBody(Decl* decl) override {
    return is_library(decl) && !Threads::is_constructor(decl->getAsFunction());
  }

  void HandleTranslationUnit(ASTContext& context) override {
    Finder finder(context, summary_);
    finder.TraverseDecl(context.getTranslationUnitDecl());
    list_inputs(context.getSourceManager());
  }

 private:
  void list_inputs(SourceManager& manager) {
    for (auto file = manager.fileinfo_begin(); file != manager.fileinfo_end(); ++file) {
      llvm::SmallString<256> path(file->first.getName());
      manager.getFileManager().makeAbsolutePath(path);
      llvm::sys::path::remove_dots(path, true);
      const auto buffer = file->second->getBufferIfLoaded();
      if (!buffer || path == kPreludeFile) continue;
      const std::string_view text(buffer->getBufferStart(), buffer->getBufferSize());
      summary_.inputs.push_back({std::string(path), sources_.hash(std::string(path), text), 0});
      const FileID id = manager.translateFile(file->first);
      if (id.isInvalid() || manager.isInSystemHeader(manager.getLocForStartOfFile(id))) continue;
      summary_.inputs.back().lines =
          static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
      for (IgnoreComment& comment : ignore_comments(Name(llvm::StringRef(path)), text)) {
        summary_.ignores.push_back(std::move(comment));
      }
    }
  }

  Summary& summary_;
  const Sources& sources_;
};

class Action : public ASTFrontendAction {
 public:
  Action(Summary& summary, const Sources& sources) : summary_(summary), sources_(sources) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler,
                                                 llvm::StringRef file) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;  // those of the libraries
    // Without a header there is still much to see.
    compiler.getDiagnostics().setFatalsAsError(true);
    llvm::SmallString<256> path(file);
    compiler.getFileManager().makeAbsolutePath(path);
    llvm::sys::path::remove_dots(path, true);
    summary_.main_file = std::string(path);
    return std::make_unique<Consumer>(summary_, sources_);
  }

 private:
  Summary& summary_;
  const Sources& sources_;
};

constexpr size_t kMostErrorLines = 60;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  llvm::SmallVector<llvm::StringRef, 16> parts;
  llvm::StringRef(text).split(parts, '\n', -1, false);
  for (const llvm::StringRef part : parts) lines.emplace_back(part);
  return lines;
}

}  // namespace

Summary summarise(std::vector<std::string> command) {
  Summary summary;
  const auto sources = llvm::makeIntrusiveRefCnt<Sources>();
  const auto files = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions{}, sources);
  DiagnosticOptions options;
  std::string said;
  llvm::raw_string_ostream stream(said);
  TextDiagnosticPrinter printer(stream, options);
  tooling::ToolInvocation invocation(std::move(command),
                                     std::make_unique<Action>(summary, *sources), files.get());
  invocation.setDiagnosticConsumer(&printer);
  invocation.setDiagnosticOptions(&options);
  const bool fine = invocation.run();
  if (!fine || printer.getNumErrors() > 0) {
    summary.errors = lines_of(said);
    // What is missing at the top is missed in many places.
    if (summary.errors.size() > kMostErrorLines) {
      summary.errors.resize(kMostErrorLines);
      summary.errors.push_back("… and so on, " + std::to_string(printer.getNumErrors()) +
                               " errors in all");
    }
    if (summary.errors.empty()) summary.errors = {"Clang gave up without a word"};
  }
  return summary;
}

}  // namespace foretrace::lint
