#include "base/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/text.h"

namespace foretrace {
namespace {

constexpr size_t kBufferSize = size_t{1} << 18;

class FileSink : public ByteSink {
 public:
  // `temporary` is renamed to `path` by close(); if they are equal (a pipe, a
  // device) nothing is renamed.
  FileSink(std::string path, std::string temporary, int descriptor, Incomplete incomplete)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        incomplete_(incomplete),
        descriptor_(descriptor) {
    buffer_.reserve(kBufferSize);
  }
  ~FileSink() override {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
    if (!closed_ && temporary_ != path_) ::unlink(temporary_.c_str());
  }

  void write(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() > kBufferSize) flush();
    if (bytes.size() >= kBufferSize) {
      put(bytes);
    } else {
      buffer_ += bytes;
    }
  }

  Result<void> close() override {
    flush();
    if (descriptor_ > STDERR_FILENO) {
      if (::close(descriptor_) != 0) note_error();
      descriptor_ = -1;
    }
    if (error_.empty() || incomplete_ == Incomplete::kept) {
      closed_ = temporary_ == path_ || std::rename(temporary_.c_str(), path_.c_str()) == 0;
      if (!closed_) note_error();
    }
    if (!error_.empty()) return fail("cannot write {}: {}", printable(path_, 200), error_);
    return {};
  }

 private:
  void note_error() {
    if (error_.empty()) error_ = std::strerror(errno);
  }
  void flush() {
    put(buffer_);
    buffer_.clear();
  }
  void put(std::string_view bytes) {
    while (!bytes.empty() && error_.empty()) {
      const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
      if (done >= 0) {
        bytes.remove_prefix(static_cast<size_t>(done));
      } else if (errno != EINTR) {
        note_error();
      }
    }
  }

  const std::string path_;
  const std::string temporary_;
  const Incomplete incomplete_;
  int descriptor_;
  bool closed_ = false;
  std::string buffer_;
  std::string error_;
};

class StringSink : public ByteSink {
 public:
  explicit StringSink(std::string& target) : target_(target) {}
  void write(std::string_view bytes) override { target_ += bytes; }
  Result<void> close() override { return {}; }

 private:
  std::string& target_;
};

class GzipSink : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> sink) : sink_(std::move(sink)), out_(kBufferSize) {
    deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  }
  ~GzipSink() override { deflateEnd(&stream_); }

  void write(std::string_view bytes) override { run(bytes, Z_NO_FLUSH); }
  Result<void> close() override {
    run({}, Z_FINISH);
    return sink_->close();
  }

 private:
  void run(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, flush);
      sink_->write({out_.data(), out_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> sink_;
  std::vector<char> out_;
  z_stream stream_ = {};
};

class ZstdSink : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> sink)
      : sink_(std::move(sink)), stream_(ZSTD_createCStream()), out_(ZSTD_CStreamOutSize()) {
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);  // as the zstd command does
  }
  ~ZstdSink() override { ZSTD_freeCStream(stream_); }

  void write(std::string_view bytes) override { run(bytes, ZSTD_e_continue); }
  Result<void> close() override {
    run({}, ZSTD_e_end);
    return sink_->close();
  }

 private:
  void run(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    size_t left = 0;
    do {
      ZSTD_outBuffer out = {out_.data(), out_.size(), 0};
      left = ZSTD_compressStream2(stream_, &out, &in, directive);
      sink_->write({out_.data(), out.pos});
      if (ZSTD_isError(left) != 0) return;
    } while (directive == ZSTD_e_end ? left != 0 : in.pos < in.size);
  }

  std::unique_ptr<ByteSink> sink_;
  ZSTD_CStream* stream_;
  std::vector<char> out_;
};

}  // namespace

Result<std::unique_ptr<ByteSink>> open_output(const std::string& path, Incomplete incomplete) {
  if (path == "-") {
    return std::make_unique<FileSink>("standard output", "standard output", STDOUT_FILENO,
                                      incomplete);
  }
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return fail("cannot write {}: it is a directory", printable(path, 200));
  }
  const bool in_place = exists && !S_ISREG(status.st_mode);
  const std::string temporary = in_place ? path : fmt::format("{}.tmp{}", path, ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail("cannot write {}: {}", printable(path, 200), std::strerror(errno));
  std::unique_ptr<ByteSink> sink =
      std::make_unique<FileSink>(path, temporary, descriptor, incomplete);
  if (path.ends_with(".gz")) return std::make_unique<GzipSink>(std::move(sink));
  if (path.ends_with(".zst")) return std::make_unique<ZstdSink>(std::move(sink));
  return sink;
}

std::unique_ptr<ByteSink> string_output(std::string& target) {
  return std::make_unique<StringSink>(target);
}

}  // namespace foretrace
