#include "recording/record_codec.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace foretrace {
namespace {

using recording::Kind;
using recording::Record;

std::vector<Record> decode(std::string_view bytes, bool& damaged) {
  RecordDecoder decoder(bytes);
  std::vector<Record> records;
  for (Record record; decoder.next(record);) records.push_back(record);
  damaged = decoder.is_damaged();
  return records;
}

void expect_same(const std::vector<Record>& records) {
  RecordEncoder encoder;
  std::string bytes;
  for (const Record& record : records) encoder.add(record, bytes);
  bool damaged = true;
  const std::vector<Record> again = decode(bytes, damaged);
  EXPECT_FALSE(damaged);
  ASSERT_EQ(again.size(), records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(again[i].head, records[i].head) << i;
    EXPECT_EQ(again[i].tail, records[i].tail) << i;
  }
}

Record stamped(Kind kind, uint64_t address, uint32_t site, uint32_t stamp) {
  Record record = Record::make(kind, address, 0, site, stamp);
  record.head |= Record::kStamped;
  return record;
}

TEST(RecordCodec, WhatIsWrittenIsRead) {
  std::mt19937_64 random(1);
  std::vector<Record> records;
  uint32_t stamp = UINT32_MAX - 500;  // passes zero
  for (int i = 0; i < 20000; ++i) {
    const uint64_t address = (random() >> (random() % 48 + 16)) & Record::kAddressMask;
    const auto site = static_cast<uint32_t>(random() >> (random() % 60));
    if (random() % 4 == 0) {
      stamp += 1 + static_cast<uint32_t>(random() % 3);
      records.push_back(stamped(static_cast<Kind>(6 + random() % 20), address, site, stamp));
    } else {
      const Kind kind =
          random() % 4 == 0 ? Kind::write_strided : static_cast<Kind>(2 + random() % 4);
      records.push_back(Record::make(kind, address, static_cast<uint32_t>(random() % 17), site,
                                     static_cast<uint32_t>(random() >> (32 + random() % 30))));
    }
  }
  expect_same(records);
}

TEST(RecordCodec, ALoopTakesAByteARecord) {
  RecordEncoder encoder;
  std::string bytes;
  for (uint64_t i = 0; i < 1000; ++i) {
    encoder.add(Record::make(Kind::read, 0x7f0000001000 + 8 * i, 8, 12, 0), bytes);
    encoder.add(Record::make(Kind::write, 0x7f0000901000 + 16 * i, 8, 13, 0), bytes);
    encoder.add(stamped(Kind::lock, 0x55550000, 14, static_cast<uint32_t>(i + 1)), bytes);
  }
  EXPECT_LT(bytes.size(), 3100U);
}

// Transfers between accounts: what is accessed lies behind the locks, which are anywhere.
TEST(RecordCodec, WhatHangsOnARecentAddressTakesAByte) {
  std::mt19937_64 random(7);
  std::vector<Record> records;
  uint32_t stamp = 0;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t from = 0x7f0000001000 + random() % 1000000 * 64;
    const uint64_t to = 0x7f0000001000 + random() % 1000000 * 64;
    records.push_back(stamped(Kind::lock, from, 1, ++stamp));
    records.push_back(stamped(Kind::lock, to, 2, ++stamp));
    records.push_back(Record::make(Kind::update, from + 40, 8, 3, 0));
    records.push_back(Record::make(Kind::update, to + 40, 8, 4, 0));
    records.push_back(stamped(Kind::unlock, to, 5, ++stamp));
    records.push_back(stamped(Kind::unlock, from, 6, ++stamp));
  }
  RecordEncoder encoder;
  std::string bytes;
  encoder.add(records, bytes);
  EXPECT_LT(bytes.size(), 1000U * (5 + 5 + 4) + 200);  // two addresses, four bytes without one
  expect_same(records);
}

TEST(RecordCodec, BytesThatEndTooEarlyAreDamaged) {
  RecordEncoder encoder;
  std::string bytes;
  encoder.add(Record::make(Kind::read, 0x7f0000001000, 8, 1200, 77), bytes);
  for (size_t size = 1; size < bytes.size(); ++size) {
    bool damaged = false;
    EXPECT_TRUE(decode(std::string_view(bytes).substr(0, size), damaged).empty());
    EXPECT_TRUE(damaged) << size;
  }
}

}  // namespace
}  // namespace foretrace
