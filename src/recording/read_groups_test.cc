#include "recording/read_groups.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace foretrace {
namespace {

using recording::Kind;
using recording::NameEntry;
using recording::NameKind;
using recording::Record;

std::string entry(NameKind kind, uint32_t number, const std::string& text) {
  const std::string strings = text + std::string(5, '\0');
  std::string bytes(sizeof(NameEntry) + strings.size(), '\0');
  const NameEntry head = {static_cast<uint32_t>(bytes.size()), kind, number, 0, 0, 0};
  std::memcpy(bytes.data(), &head, sizeof head);
  std::copy(strings.begin(), strings.end(), bytes.begin() + sizeof head);
  return bytes;
}

ReadGroups two_groups() {
  ReadGroups groups;
  groups.add(entry(NameKind::group, 1, "0 8 5 16 4 6 "));
  groups.add(entry(NameKind::label, 2, "0 8 5 ") + entry(NameKind::group, 2, "8 8 7 "));
  return groups;
}

class VectorRecords : public RecordSource {
 public:
  explicit VectorRecords(std::vector<Record> records) : records_(std::move(records)) {}
  size_t read(std::span<Record> records) override {
    const size_t count = std::min(records.size(), records_.size() - next_);
    std::copy_n(records_.begin() + static_cast<std::ptrdiff_t>(next_), count, records.begin());
    next_ += count;
    return count;
  }
  bool is_damaged() const override { return false; }

 private:
  std::vector<Record> records_;
  size_t next_ = 0;
};

Record read(uint64_t address, uint32_t size, uint32_t site, uint32_t stack) {
  return Record::make(Kind::read, address, size, site, stack);
}

std::vector<Record> read_all(RecordSource& source, size_t at_once) {
  std::vector<Record> all;
  std::vector<Record> some(at_once);
  while (const size_t count = source.read(some)) {
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

TEST(ReadGroups, OnlyEntriesOfGroupsAreGroups) {
  EXPECT_TRUE(ReadGroups().empty());
  ReadGroups none;
  none.add(entry(NameKind::label, 1, "0 8 5 "));
  EXPECT_TRUE(none.empty());
  const ReadGroups groups = two_groups();
  EXPECT_FALSE(groups.empty());
  EXPECT_EQ(groups.members(1).size(), 2U);
  EXPECT_EQ(groups.members(2).size(), 1U);
  EXPECT_TRUE(groups.members(0).empty());
  EXPECT_TRUE(groups.members(3).empty());
}

TEST(ReadGroups, WhatNobodyWritesHasNoMembers) {
  ReadGroups groups;
  groups.add(entry(NameKind::group, 1, "0 8 "));
  groups.add(entry(NameKind::group, 2, "0 eight 5 "));
  groups.add(entry(NameKind::group, 4000000000U, "0 8 5 "));
  groups.add(entry(NameKind::group, 3, "0 0 5 "));
  groups.add(entry(NameKind::group, 4, "0 300 5 "));
  groups.add(entry(NameKind::group, 5, "4000000000 8 5 "));
  std::string many;
  for (int i = 0; i < 100; ++i) many += "0 8 5 ";
  groups.add(entry(NameKind::group, 6, many));
  groups.add(entry(NameKind::group, 7, "0 8 5 ").substr(0, 20));
  for (const uint32_t number : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 4000000000U}) {
    EXPECT_TRUE(groups.members(number).empty()) << number;
  }
}

// Whatever the space that the reader has: groups end in the middle of it, or go on behind it.
TEST(UngroupedRecords, HaveTheReadsOfGroupsInTheirPlaces) {
  std::vector<Record> grouped;
  std::vector<Record> expected;
  for (uint32_t i = 0; i < 1000; ++i) {
    const Record other = Record::make(Kind::write, 0x5000 + i, 1, 9, 0);
    const uint64_t address = 0x1000 + 32 * i;
    if (i % 3 != 0) grouped.push_back(other);
    if (i % 3 != 0) expected.push_back(other);
    grouped.push_back(Record::make(Kind::read_group, address, 0, 1 + i % 2, i));
    if (i % 2 == 0) expected.push_back(read(address, 8, 5, i));
    expected.push_back(i % 2 == 0 ? read(address + 16, 4, 6, i) : read(address + 8, 8, 7, i));
  }
  const ReadGroups groups = two_groups();
  for (const size_t at_once : {size_t{1}, size_t{2}, size_t{3}, size_t{511}, size_t{4000}}) {
    UngroupedRecords source(std::make_unique<VectorRecords>(grouped), groups);
    EXPECT_EQ(read_all(source, at_once), expected) << at_once;
    EXPECT_FALSE(source.is_damaged());
  }
}

TEST(UngroupedRecords, APairIsAReadAndAWriteOfTheSameBytes) {
  ReadGroups groups;
  groups.add(entry(NameKind::group, 1, "0 8 5 0 8 6 "));
  // Pairs side by side are one record.
  const std::vector<Record> grouped = {Record::make(Kind::update_pair, 0x1000, 8, 1, 7),
                                       Record::make(Kind::update_pair, 0x2000, 24, 1, 0)};
  const std::vector<Record> expected = {
      read(0x1000, 8, 5, 7), Record::make(Kind::write, 0x1000, 8, 6, 7), read(0x2000, 24, 5, 0),
      Record::make(Kind::write, 0x2000, 24, 6, 0)};
  for (const size_t at_once : {size_t{1}, size_t{2}, size_t{3}, size_t{8}}) {
    UngroupedRecords source(std::make_unique<VectorRecords>(grouped), groups);
    EXPECT_EQ(read_all(source, at_once), expected) << at_once;
    EXPECT_FALSE(source.is_damaged());
  }
}

TEST(UngroupedRecords, APairOfAGroupThatIsNotOfTwoIsDamage) {
  const ReadGroups groups = two_groups();
  UngroupedRecords source(std::make_unique<VectorRecords>(std::vector<Record>{
                              Record::make(Kind::update_pair, 0x1000, 8, 2, 0)}),
                          groups);
  EXPECT_TRUE(read_all(source, 8).empty());
  EXPECT_TRUE(source.is_damaged());
}

TEST(UngroupedRecords, AGroupThatNobodyNamedIsDamage) {
  const std::vector<Record> grouped = {read(0x1000, 8, 1, 0),
                                       Record::make(Kind::read_group, 0x1000, 0, 3, 0),
                                       read(0x2000, 8, 1, 0)};
  const ReadGroups groups = two_groups();
  UngroupedRecords source(std::make_unique<VectorRecords>(grouped), groups);
  EXPECT_EQ(read_all(source, 8), (std::vector<Record>{read(0x1000, 8, 1, 0)}));
  EXPECT_TRUE(source.is_damaged());
}

}  // namespace
}  // namespace foretrace
