#include "instrument/ignore_list.h"

#include <cstdlib>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "instrument/describe.h"

namespace foretrace::instrument {
namespace {

constexpr const char* kSection = "foretrace";

}  // namespace

IgnoreList::IgnoreList() {
  const char* const paths = std::getenv("FORETRACE_IGNORELIST");
  if (paths == nullptr || *paths == '\0') return;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(paths).split(parts, ':', -1, /*KeepEmpty=*/false);
  std::vector<std::string> files;
  for (const llvm::StringRef part : parts) files.push_back(part.str());
  std::string complaint;
  list_ = llvm::SpecialCaseList::create(files, *llvm::vfs::getRealFileSystem(), complaint);
  if (list_ == nullptr) {
    llvm::report_fatal_error(llvm::Twine("the ignore list: ") + complaint,
                             /*gen_crash_diag=*/false);
  }
}

bool IgnoreList::covers(const llvm::Function& function) const {
  if (list_ == nullptr) return false;
  if (list_->inSection(kSection, "src", function.getParent()->getSourceFileName()) ||
      list_->inSection(kSection, "fun", function.getName())) {
    return true;
  }
  const llvm::DISubprogram* const place = function.getSubprogram();
  return place != nullptr &&
         (list_->inSection(kSection, "src", place->getFilename()) ||
          list_->inSection(kSection, "fun", qualified_name(place->getScope(), place->getName())));
}

}  // namespace foretrace::instrument
