#include "trace/formats/ftr_chunks.h"

#include <algorithm>

#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace foretrace::ftr {
namespace {

// Fast, and on these columns hardly larger than what slower levels give.
constexpr int kCompressionLevel = 1;

// All but the checksum.
std::string front_of_header(uint32_t tag, Codec codec, size_t stored_size, size_t raw_size) {
  std::string header;
  append(header, tag);
  append(header, static_cast<uint32_t>(codec));
  append(header, static_cast<uint32_t>(stored_size));
  append(header, static_cast<uint32_t>(raw_size));
  return header;
}

}  // namespace

uint64_t checksum(std::string_view header, std::string_view payload) {
  const uint64_t seed = XXH3_64bits(header.data(), header.size());
  return XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
}

ChunkWriter::ChunkWriter(ByteSink& sink) : sink_(sink), zstd_(ZSTD_createCCtx()) {}
ChunkWriter::~ChunkWriter() { ZSTD_freeCCtx(zstd_); }

void ChunkWriter::write_file_header(uint16_t major, uint16_t minor) {
  std::string header(kMagic);
  append(header, major);
  append(header, minor);
  append(header, uint32_t{0});
  sink_.write(header);
}

void ChunkWriter::write(uint32_t tag, std::string_view payload) {
  write_packed(tag, Codec::zstd, payload, 0);
}

size_t ChunkWriter::write_labelled(uint32_t tag, std::string_view payload, size_t label) {
  return write_packed(tag, Codec::labelled_zstd, payload, label);
}

void ChunkWriter::write_plain(uint32_t tag, std::string_view payload) {
  write_stored(tag, Codec::raw, payload, payload.size());
}

void ChunkWriter::write_unchecked(uint32_t tag, std::initializer_list<std::string_view> parts) {
  size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  sink_.write(front_of_header(tag, Codec::raw, size, size) + std::string(sizeof(uint64_t), '\0'));
  for (const std::string_view part : parts) sink_.write(part);
}

size_t ChunkWriter::write_packed(uint32_t tag, Codec packed_codec, std::string_view payload,
                                 size_t label) {
  const std::string_view rest = payload.substr(label);
  const size_t most = label + ZSTD_compressBound(rest.size());
  if (packed_.size() < most) packed_.resize(most);
  std::copy_n(payload.begin(), label, packed_.begin());
  const size_t size = ZSTD_compressCCtx(zstd_, packed_.data() + label, packed_.size() - label,
                                        rest.data(), rest.size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0 || size >= rest.size()) {
    write_plain(tag, payload);
    return payload.size();
  }
  write_stored(tag, packed_codec, std::string_view(packed_).substr(0, label + size),
               payload.size());
  return label + size;
}

void ChunkWriter::write_stored(uint32_t tag, Codec codec, std::string_view stored,
                               size_t raw_size) {
  std::string header = front_of_header(tag, codec, stored.size(), raw_size);
  append(header, checksum(header, stored));
  sink_.write(header);
  sink_.write(stored);
}

ChunkUnpacker::ChunkUnpacker() : zstd_(ZSTD_createDCtx()) {}
ChunkUnpacker::~ChunkUnpacker() { ZSTD_freeDCtx(zstd_); }

std::string ChunkUnpacker::unpack(const ChunkHeader& header, std::string_view stored, size_t label,
                                  std::vector<char>& payload) {
  payload.resize(header.raw_size);
  if (header.codec == Codec::raw) {
    if (stored.size() != header.raw_size) return "its two sizes differ";
    std::copy(stored.begin(), stored.end(), payload.begin());
    return "";
  }
  if (header.codec == Codec::zstd) label = 0;
  if (stored.size() < label || payload.size() < label) return "it is too short";
  std::copy_n(stored.begin(), label, payload.begin());
  const size_t got = ZSTD_decompressDCtx(zstd_, payload.data() + label, payload.size() - label,
                                         stored.data() + label, stored.size() - label);
  if (ZSTD_isError(got) != 0 || got != payload.size() - label) return "it cannot be unpacked";
  return "";
}

ChunkHeader parse_chunk_header(std::string_view bytes) {
  ChunkHeader header;
  header.tag = load<uint32_t>(bytes);
  header.codec = static_cast<Codec>(bytes[4]);
  header.stored_size = load<uint32_t>(bytes.substr(8));
  header.raw_size = load<uint32_t>(bytes.substr(12));
  header.checksum = load<uint64_t>(bytes.substr(16));
  return header;
}

}  // namespace foretrace::ftr
