#include "base/decompress.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <zlib.h>
#include <zstd.h>

namespace foretrace {
namespace {

// Gives back the few bytes that were read to recognise the compression.
class PeekedSource : public ByteSource {
 public:
  PeekedSource(std::string head, std::unique_ptr<ByteSource> rest)
      : ByteSource(rest->name()), head_(std::move(head)), rest_(std::move(rest)) {}

  Result<size_t> read(std::span<char> into) override {
    if (place_ == head_.size()) return rest_->read(into);
    const size_t count = std::min(into.size(), head_.size() - place_);
    std::memcpy(into.data(), head_.data() + place_, count);
    place_ += count;
    return count;
  }
  std::optional<double> progress() const override { return rest_->progress(); }

 private:
  const std::string head_;
  size_t place_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// What both decompressors share: a buffer of compressed bytes.
class CompressedSource : public ByteSource {
 public:
  explicit CompressedSource(std::unique_ptr<ByteSource> source)
      : ByteSource(source->name()), source_(std::move(source)), buffer_(size_t{1} << 17) {}
  std::optional<double> progress() const override { return source_->progress(); }

 protected:
  // Makes pending() non-empty, or returns false at the end of the input.
  Result<bool> refill() {
    if (!pending_.empty()) return true;
    const Result<size_t> got = source_->read(buffer_);
    if (!got) return tl::unexpected(got.error());
    pending_ = std::span<char>(buffer_).first(*got);
    return *got > 0;
  }
  std::span<char>& pending() { return pending_; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::span<char> pending_;
};

class GzipSource : public CompressedSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> source) : CompressedSource(std::move(source)) {
    ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK;
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  Result<size_t> read(std::span<char> into) override {
    if (!ready_) return fail("{}: cannot set up gzip decompression", name());
    for (;;) {
      const Result<bool> more = refill();
      if (!more) return tl::unexpected(more.error());
      if (!*more) {
        if (between_members_) return size_t{0};
        return fail("{}: the gzip data is cut off; fetch or write the file again", name());
      }
      if (between_members_) {  // a further member, or padding of zeros
        if (pending()[0] == 0) {
          pending() = pending().subspan(1);
          continue;
        }
        inflateReset(&stream_);
        between_members_ = false;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(pending().data());
      stream_.avail_in = static_cast<uInt>(pending().size());
      stream_.next_out = reinterpret_cast<Bytef*>(into.data());
      stream_.avail_out = static_cast<uInt>(std::min<size_t>(into.size(), 1U << 30));
      const uInt room = stream_.avail_out;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      pending() = pending().last(stream_.avail_in);
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return fail("{}: the gzip data is damaged ({})", name(),
                    stream_.msg != nullptr ? stream_.msg : "bad data");
      }
      if (room > stream_.avail_out) return size_t{room - stream_.avail_out};
    }
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
  bool between_members_ = false;
};

class ZstdSource : public CompressedSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> source)
      : CompressedSource(std::move(source)), stream_(ZSTD_createDStream()) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  Result<size_t> read(std::span<char> into) override {
    if (stream_ == nullptr) return fail("{}: cannot set up zstd decompression", name());
    ZSTD_outBuffer out = {into.data(), into.size(), 0};
    while (out.pos == 0) {
      const Result<bool> more = refill();
      if (!more) return tl::unexpected(more.error());
      if (!*more) {
        if (frame_left_ == 0) return size_t{0};
        // The decoder may still hold bytes of a block that it has seen whole.
        ZSTD_inBuffer nothing = {nullptr, 0, 0};
        const size_t left = ZSTD_decompressStream(stream_, &out, &nothing);
        if (ZSTD_isError(left) == 0 && out.pos > 0) {
          frame_left_ = left;
          break;
        }
        return fail("{}: the zstd data is cut off; fetch or write the file again", name());
      }
      ZSTD_inBuffer in = {pending().data(), pending().size(), 0};
      frame_left_ = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(frame_left_) != 0) {
        return fail("{}: the zstd data is damaged ({})", name(), ZSTD_getErrorName(frame_left_));
      }
      pending() = pending().subspan(in.pos);
    }
    return out.pos;
  }

 private:
  ZSTD_DStream* stream_;
  size_t frame_left_ = 0;  // 0: at the end of a frame
};

}  // namespace

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source) {
  std::string head;
  std::array<char, 4> bytes = {};
  while (head.size() < bytes.size()) {
    const Result<size_t> got = source->read(std::span(bytes).first(bytes.size() - head.size()));
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
    head.append(bytes.data(), *got);
  }
  const bool gzip = head.starts_with("\x1f\x8b");
  const bool zstd = head == "\x28\xb5\x2f\xfd";
  std::unique_ptr<ByteSource> whole =
      std::make_unique<PeekedSource>(std::move(head), std::move(source));
  if (gzip) return std::make_unique<GzipSource>(std::move(whole));
  if (zstd) return std::make_unique<ZstdSource>(std::move(whole));
  return whole;
}

}  // namespace foretrace
