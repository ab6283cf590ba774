// The layout of .ftr files, shared by the reader and the writer; the page
// docs/formats/ftr.md describes the same in words. All numbers little-endian.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretrace::ftr {

// As in PNG: a byte over 127 tells it from text, and the line ends show a
// transfer that changed them.
inline constexpr std::string_view kMagic{
    "\x89"
    "FTR\r\n\x1a\n",
    8};
inline constexpr uint16_t kMajor = 1;           // a reader refuses a larger one
inline constexpr uint16_t kRecordingMajor = 4;  // records of a program (src/recording), no events
inline constexpr uint16_t kFirstRecordingMajor = 2;  // without some kinds of them, as 3
inline constexpr uint16_t kMinor = 0;                // additions that old readers may skip
inline constexpr size_t kFileHeader = 16;
inline constexpr size_t kChunkHeader = 24;
// A chunk's raw size is at most this, so a damaged size cannot ask for more.
inline constexpr uint32_t kMaxChunk = 64U << 20;

// Tags are four letters. A reader that does not know a tag refuses the file if
// the first letter is a capital, and skips the chunk otherwise.
constexpr uint32_t tag(const char (&letters)[5]) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(letters[i])) << (8 * i);
  }
  return value;
}
inline constexpr uint32_t kNames = tag("NAME");
inline constexpr uint32_t kSites = tag("SITE");
inline constexpr uint32_t kImpatientSites = tag("tryl");
inline constexpr uint32_t kDeclarations = tag("DECL");
inline constexpr uint32_t kEvents = tag("EVNT");
inline constexpr uint32_t kEnd = tag("ENDS");

// The last one: the payload's first bytes, its label, are as they are, the rest is
// packed. Only in recordings.
enum class Codec : uint8_t { raw = 0, zstd = 1, labelled_zstd = 2 };

// Numbers of name lists in a NAME chunk beyond those of Space.
inline constexpr uint8_t kFileNames = 16;
inline constexpr uint8_t kFunctionNames = 17;

// The bits of an event's head byte.
inline constexpr uint8_t kHeadOp = 0x1F;
inline constexpr uint8_t kHeadValue = 0x20;

struct ChunkHeader {
  uint32_t tag = 0;
  Codec codec = Codec::raw;
  uint32_t stored_size = 0;
  uint32_t raw_size = 0;
  uint64_t checksum = 0;
};

// From as many bytes as it has, or more.
template <typename T>
T load(std::string_view bytes) {
  T value;
  bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}
template <typename T>
T load(const char* text) = delete;  // would end at a zero

template <typename T>
void append(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void append_varint(std::string& to, uint64_t value) {
  while (value >= 0x80) {
    to += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  to += static_cast<char>(value);
}

inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

// 0 if `head` is too short to have one.
inline uint16_t major_version(std::string_view head) {
  return head.size() < 10 ? uint16_t{0} : load<uint16_t>(head.substr(8));
}
inline bool is_recording(std::string_view head) {
  const uint16_t major = major_version(head);
  return major >= kFirstRecordingMajor && major <= kRecordingMajor;
}

// XXH3 over the first 16 bytes of the chunk's header and its stored payload.
uint64_t checksum(std::string_view header, std::string_view payload);

}  // namespace foretrace::ftr
