// The chunks that .ftr files are made of, whatever is in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/output.h"
#include "trace/formats/ftr_layout.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace foretrace::ftr {

class ChunkWriter {
 public:
  // The sink must outlive the writer.
  explicit ChunkWriter(ByteSink& sink);
  ~ChunkWriter();
  ChunkWriter(const ChunkWriter&) = delete;
  ChunkWriter& operator=(const ChunkWriter&) = delete;

  void write_file_header(uint16_t major, uint16_t minor);
  // Packs the payload where that makes it shorter.
  void write(uint32_t tag, std::string_view payload);
  // As it is.
  void write_plain(uint32_t tag, std::string_view payload);
  // As it is, from several places, and without a checksum: for a file that is soon gone.
  void write_unchecked(uint32_t tag, std::initializer_list<std::string_view> parts);
  // The first bytes of the payload, its label, stay as they are, so that they can
  // be read without unpacking the rest. Returns how many bytes were stored.
  size_t write_labelled(uint32_t tag, std::string_view payload, size_t label);

 private:
  size_t write_packed(uint32_t tag, Codec packed_codec, std::string_view payload, size_t label);
  void write_stored(uint32_t tag, Codec codec, std::string_view stored, size_t raw_size);

  ByteSink& sink_;
  ZSTD_CCtx_s* zstd_;
  std::string packed_;  // where it is packed; does not get shorter
};

// Unpacks payloads.
class ChunkUnpacker {
 public:
  ChunkUnpacker();
  ~ChunkUnpacker();
  ChunkUnpacker(const ChunkUnpacker&) = delete;
  ChunkUnpacker& operator=(const ChunkUnpacker&) = delete;

  // What is wrong, or an empty string. `label` as in write_labelled().
  std::string unpack(const ChunkHeader& header, std::string_view stored, size_t label,
                     std::vector<char>& payload);

 private:
  ZSTD_DCtx_s* zstd_;
};

// `bytes` are at least kChunkHeader.
ChunkHeader parse_chunk_header(std::string_view bytes);

// Takes numbers and strings off the front of a payload; any read past the end
// makes ok() false and gives zeros.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool done() const { return bytes_.empty(); }

  std::string_view take(size_t count) {
    if (count > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  template <typename T>
  T number() {
    const std::string_view taken = take(sizeof(T));
    return taken.empty() ? T{} : load<T>(taken);
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[0]);
      bytes_.remove_prefix(1);
      value |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  uint32_t varint32() {
    const uint64_t value = varint();
    if (value > UINT32_MAX) ok_ = false;
    return static_cast<uint32_t>(value);
  }
  std::string_view string() { return take(varint()); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace foretrace::ftr
