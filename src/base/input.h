// Where bytes come from: a file, a pipe or memory; compressed or not.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace foretrace {

// A stream of bytes. Not thread-safe, except that `progress()` may be read from
// any thread while another one reads.
class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills a part of `into` (not empty); 0 means the end. Blocks on a pipe.
  virtual Result<size_t> read(std::span<char> into) = 0;

  // What to call this source in messages: the path, or "standard input".
  const std::string& name() const { return name_; }

  // The share of the source that has been read, 0 to 1, where that is known.
  virtual std::optional<double> progress() const { return std::nullopt; }

 private:
  std::string name_;
};

// Opens `path` ("-" is standard input) and looks through gzip and zstd
// compression, which is recognised by content.
Result<std::unique_ptr<ByteSource>> open_input(const std::string& path);

// All that open_input() gives: for files that are small.
Result<std::string> read_input(const std::string& path);

// A source over bytes in memory; looks through compression too.
Result<std::unique_ptr<ByteSource>> memory_input(std::string name, std::string bytes);

// A window over a ByteSource for parsers: look ahead, then consume.
class ByteReader {
 public:
  explicit ByteReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // The bytes that were read and not yet consumed. Valid until the next call
  // of fill(), want() or consume().
  std::string_view window() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(size_t count) {
    begin_ += count;
    consumed_ += count;
  }

  // Appends at least one more byte to the window; false at the end of input.
  Result<bool> fill();

  // Fills until the window has `count` bytes; false if the input ends before.
  Result<bool> want(size_t count);

  const std::string& name() const { return source_->name(); }
  // How many (decompressed) bytes lie before the window.
  uint64_t offset() const { return consumed_; }
  std::optional<double> progress() const { return source_->progress(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t consumed_ = 0;
};

}  // namespace foretrace
