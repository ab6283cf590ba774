// Sites as constants of the instrumented program, laid out as runtime/site.h.
#pragma once

#include <map>
#include <string>
#include <utility>

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
  // A loop whose course is foreseen, and whether the access is (foreseen_loops.h).
  struct InLoop {
    llvm::Constant* loop = nullptr;  // from new_loop()
    bool is_foreseen = false;
  };
  llvm::Constant* site_of(const llvm::Instruction& instruction, const Description& description,
                          const InLoop& in_loop);
  // Of reads that are looked at together, in the order in which they are made; `bytes` has a bit
  // for each byte that is read.
  struct GroupMember {
    uint32_t offset;
    uint32_t bytes;
    llvm::Constant* site;
  };
  llvm::Constant* new_group(llvm::ArrayRef<GroupMember> members, uint64_t bytes);
  // Something in the program that stands for a loop.
  llvm::Constant* new_loop();

 private:
  llvm::Constant* text(llvm::StringRef content);

  llvm::Module& module_;
  llvm::StructType* type_;
  llvm::StringMap<llvm::Constant*> texts_;
  // By what is in them and the loop.
  std::map<std::pair<std::string, llvm::Constant*>, llvm::Constant*> sites_;
};

}  // namespace foretrace::instrument
