// Sites as constants of the instrumented program, laid out as runtime/site.h.
#pragma once

#include <string>

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include "instrument/describe.h"

namespace foretrace::instrument {

class SiteTable {
 public:
  explicit SiteTable(llvm::Module& module);

  // The site of an instruction: of the innermost frame that is not in a system
  // header, so that a lock taken by std::lock_guard is shown where the program
  // makes the guard.
  struct Place {
    std::string file;
    uint32_t line = 0;
    uint32_t column = 0;
  };
  static Place place_of(const llvm::Instruction& instruction);
  llvm::Constant* site_of(const llvm::Instruction& instruction, const Description& description);

 private:
  llvm::Constant* text(llvm::StringRef content);

  llvm::Module& module_;
  llvm::StructType* type_;
  llvm::StringMap<llvm::Constant*> texts_;
  llvm::StringMap<llvm::Constant*> sites_;
};

}  // namespace foretrace::instrument
