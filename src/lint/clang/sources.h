// The files that Clang reads: those on the disk, with transactions in words that it
// understands, and the prelude that these words need.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "llvm/Support/VirtualFileSystem.h"

namespace foretrace::lint {

// In a folder that is there, which Clang looks at first.
inline constexpr const char* kPreludeFile = "/foretrace-lint-prelude.h";

class Sources : public llvm::vfs::ProxyFileSystem {
 public:
  Sources();

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  bool exists(const llvm::Twine& path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;

  // The hash of the file as it is on the disk; `text` is what Clang saw.
  uint64_t hash(const std::string& path, std::string_view text) const;

 private:
  std::map<std::string, uint64_t> originals_;  // hashes of files that were rewritten
};

}  // namespace foretrace::lint
