#include "lint/clang/sources.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lint/transactions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace foretrace::lint {
namespace {

using llvm::vfs::File;
using llvm::vfs::Status;

// A file whose content is known.
class TextFile : public File {
 public:
  TextFile(Status status, std::string text) : status_(std::move(status)), text_(std::move(text)) {}

  llvm::ErrorOr<Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t,
                                                               bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(text_, name);
  }
  std::error_code close() override { return {}; }

 private:
  Status status_;
  std::string text_;
};

Status prelude_status() {
  return Status(kPreludeFile, llvm::sys::fs::UniqueID(UINT64_MAX, 1),
                std::chrono::system_clock::time_point(), 0, 0, kTransactionPrelude.size(),
                llvm::sys::fs::file_type::regular_file, llvm::sys::fs::perms::all_read);
}

uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::string normal(const llvm::Twine& path, llvm::vfs::FileSystem& files) {
  llvm::SmallString<256> text;
  path.toVector(text);
  files.makeAbsolute(text);
  llvm::sys::path::remove_dots(text, true);
  return std::string(text);
}

}  // namespace

Sources::Sources() : ProxyFileSystem(llvm::vfs::getRealFileSystem()) {}

llvm::ErrorOr<Status> Sources::status(const llvm::Twine& path) {
  return path.str() == kPreludeFile ? prelude_status() : ProxyFileSystem::status(path);
}

bool Sources::exists(const llvm::Twine& path) {
  return path.str() == kPreludeFile || ProxyFileSystem::exists(path);
}

llvm::ErrorOr<std::unique_ptr<File>> Sources::openFileForRead(const llvm::Twine& path) {
  if (path.str() == kPreludeFile) {
    return std::make_unique<TextFile>(prelude_status(), std::string(kTransactionPrelude));
  }
  auto file = ProxyFileSystem::openFileForRead(path);
  // Transactions in a system header would be none of the program's.
  if (!file || path.str().starts_with("/usr/include") || path.str().starts_with("/usr/lib")) {
    return file;
  }
  auto status = (*file)->status();
  if (!status || !status->isRegularFile()) return file;
  const auto buffer = (*file)->getBuffer(path, static_cast<int64_t>(status->getSize()));
  if (!buffer) return file;
  const std::string_view text((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
  std::optional<std::string> rewritten = rewrite_transactions(text);
  if (rewritten) originals_[normal(path, *this)] = hash_of(text);
  return std::make_unique<TextFile>(std::move(*status),
                                    rewritten ? std::move(*rewritten) : std::string(text));
}

uint64_t Sources::hash(const std::string& path, std::string_view text) const {
  const auto original = originals_.find(path);
  return original != originals_.end() ? original->second : hash_of(text);
}

}  // namespace foretrace::lint
