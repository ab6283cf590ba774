// Code whose accesses are not recorded, because the user says so: files in the
// format of Clang's -fsanitize-ignorelist, with src: and fun:.
#pragma once

#include <memory>

#include <llvm/IR/Function.h>
#include <llvm/Support/SpecialCaseList.h>

namespace foretrace::instrument {

class IgnoreList {
 public:
  // Reads the files that FORETRACE_IGNORELIST names; `foretrace c++` sets it.
  // Ends the compiler with a complaint if one of them is bad.
  IgnoreList();

  // fun: patterns are compared with the name in the object file and with the
  // name in the source with its scopes, src: patterns with the file.
  bool covers(const llvm::Function& function) const;

 private:
  std::unique_ptr<llvm::SpecialCaseList> list_;
};

}  // namespace foretrace::instrument
