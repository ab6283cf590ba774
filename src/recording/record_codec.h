// Records of one thread as few bytes: what a program does again is predicted from
// what it did before, and only what is different is written. docs/formats/recording.md
// describes the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/layout.h"

namespace foretrace {

// The records of a chunk, one after the other.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // The next ones; how many there were.
  virtual size_t read(std::span<recording::Record> records) = 0;
  // Whether it ended because of bytes that nobody can have written.
  virtual bool is_damaged() const = 0;
};

// Records as they are.
class PlainRecords : public RecordSource {
 public:
  explicit PlainRecords(std::string_view bytes) : bytes_(bytes) {}
  size_t read(std::span<recording::Record> records) override;
  bool is_damaged() const override;

 private:
  std::string_view bytes_;
};

// What the encoder and the decoder of a chunk remember of the records so far.
class RecordHistory {
 protected:
  // A place in the program: records with the same site, kind and size.
  struct Place {
    // Bits 0-31 the site, 32-39 the kind with the stamped bit, 40-47 the size.
    uint64_t key = 0;
    uint16_t next = 0;  // the place that came after it last time
    uint32_t upper = 0;
    uint64_t address = 0;
    uint64_t stride = 0;  // between its last two addresses
    // The record that its address hung on last time, and how far it was from that record's: the
    // lock of an object and its data, an unlock and its lock.
    uint32_t partner = 0;  // which of the last records; 0 is the very last
    int64_t distance = 0;
  };
  static constexpr uint32_t kPlaces = 512;
  static constexpr uint8_t kStampedKind = 0x80;

  // The head byte of a record.
  static constexpr uint8_t kAddressMode = 0x03;
  enum AddressMode : uint8_t { kStride = 0, kSame = 1, kFromPlace = 2, kFromLast = 3 };
  static constexpr uint8_t kUpperGiven = 0x04;  // else: next stamp, or as last time
  static constexpr uint8_t kPlaceGiven = 0x08;  // else: the one that came next last time
  static constexpr uint8_t kAsPartner = 0x10;   // and kStride: instead, where its partner says
  static constexpr uint8_t kPartnerShift = 5;   // with kFromLast: from which of the last records
  static constexpr uint32_t kPartners = 4;

  static uint64_t key_of(uint32_t site, uint8_t kind, uint8_t size) {
    return site | uint64_t{kind} << 32 | uint64_t{size} << 40;
  }
  static uint16_t slot_of(uint32_t site, uint8_t kind, uint8_t size) {
    return static_cast<uint16_t>((site * 0x9E3779B1U ^ kind * 0x85EBCA6BU ^ size * 0xC2B2AE35U) >>
                                 23) &
           (kPlaces - 1);
  }
  // The place of what is not where it was expected.
  uint16_t find(uint32_t site, uint8_t kind, uint8_t size) {
    const uint64_t key = key_of(site, kind, size);
    const uint16_t slot = slot_of(site, kind, size);
    Place& place = places_[slot];
    if (place.key != key) place = {.key = key, .next = place.next};
    return slot;
  }

  // Of the last records.
  struct Last {
    uint16_t place = 0;
    uint32_t stamp = 0;
    uint32_t stack = 0;  // of the last access that could name one
    uint32_t count = 0;
    std::array<uint64_t, kPartners> addresses = {};

    uint64_t address(uint32_t partner) const {
      return addresses[(count - 1 - partner) % kPartners];
    }
    void add(uint64_t address) { addresses[count++ % kPartners] = address; }
  };

  std::array<Place, kPlaces> places_ = {};
  Last last_;
};

class RecordEncoder : public RecordHistory {
 public:
  void add(const recording::Record& record, std::string& bytes) { add({&record, 1}, bytes); }
  void add(std::span<const recording::Record> records, std::string& bytes);

 private:
  // Returns where the bytes end; there is space for kMostBytes.
  __attribute__((always_inline)) char* put(const recording::Record& record, char* bytes);
  static constexpr size_t kMostBytes = 40;  // head, kind, size, and three varints of at most 10
};

class RecordDecoder : public RecordSource, private RecordHistory {
 public:
  explicit RecordDecoder(std::string_view bytes)
      : bytes_{bytes.data(), bytes.data() + bytes.size(), false} {}

  // False at the end.
  bool next(recording::Record& record) { return read({&record, 1}) == 1; }
  size_t read(std::span<recording::Record> records) override;
  bool is_damaged() const override { return bytes_.damaged; }

 private:
  struct Bytes {
    const char* next = nullptr;
    const char* end = nullptr;
    bool damaged = false;
    uint64_t varint();
  };
  bool decode(recording::Record& record, Bytes& bytes, Last& last);

  Bytes bytes_;
};

}  // namespace foretrace
