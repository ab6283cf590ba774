#include "recording/part_pages.h"

#include <gtest/gtest.h>

namespace foretrace {
namespace {

using recording::Kind;
using recording::Record;

constexpr uint64_t kPage = kSurveyPage;

Record access(Kind kind, uint64_t address, uint32_t size = 8) {
  return Record::make(kind, address, size, 1, 0);
}
Record range(Kind kind, uint64_t address, uint32_t bytes) {
  return Record::make(kind, address, 0, 1, bytes);
}

class PartPagesTest : public testing::Test {
 protected:
  void add(size_t part, std::vector<Record> records) { pages_.add(parts_[part], records); }
  bool is_unneeded(size_t part, const std::vector<MemoryPiece>& matter) const {
    return pages_.unneeded(matter).contains(&parts_[part]);
  }

  std::array<RecordingFile::Part, 3> parts_ = {{{0, 1}, {0, 2}, {17, 3}}};
  PartPages pages_;
};

TEST_F(PartPagesTest, AreUnneededIfNoAccessIsOfAPageThatMatters) {
  add(0, {access(Kind::read, 3 * kPage + 8), access(Kind::write, 5 * kPage)});
  add(0, {access(Kind::read, 3 * kPage + 16)});
  add(1, {access(Kind::read, 7 * kPage)});
  EXPECT_TRUE(is_unneeded(0, {}));
  EXPECT_TRUE(is_unneeded(0, {{4 * kPage, 0, 8}, {7 * kPage, 0, 8}}));
  EXPECT_FALSE(is_unneeded(1, {{4 * kPage, 0, 8}, {7 * kPage, 0, 8}}));
  EXPECT_FALSE(is_unneeded(0, {{7 * kPage, 0, 8}, {5 * kPage + 64, 0, 8}}));
}

TEST_F(PartPagesTest, KnowAllPagesOfARangeAndOfAnAccessAcrossAnEdge) {
  add(0, {range(Kind::write_range, 10 * kPage + 100, 5 * kPage)});
  add(1, {access(Kind::read, 21 * kPage - 4)});
  EXPECT_FALSE(is_unneeded(0, {{12 * kPage, 0, 8}}));
  EXPECT_FALSE(is_unneeded(0, {{15 * kPage, 0, 8}}));
  EXPECT_TRUE(is_unneeded(0, {{16 * kPage, 0, 8}}));
  EXPECT_FALSE(is_unneeded(1, {{20 * kPage, 0, 8}}));
  EXPECT_FALSE(is_unneeded(1, {{21 * kPage, 0, 8}}));
}

TEST_F(PartPagesTest, KnowAllPagesBetweenTheElementsOfARange) {
  add(0, {Record::make(Kind::read_strided, 30 * kPage, 8, 1, Record::strided(3, 2 * kPage))});
  EXPECT_TRUE(is_unneeded(0, {{29 * kPage, 0, 8}, {35 * kPage, 0, 8}}));
  EXPECT_FALSE(is_unneeded(0, {{30 * kPage, 0, 8}}));
  EXPECT_FALSE(is_unneeded(0, {{34 * kPage, 0, 8}}));
}

TEST_F(PartPagesTest, NeedWhateverIsNotAnAccess) {
  add(0, {access(Kind::read, 3 * kPage), Record::make(Kind::free, 9 * kPage, 0, 0, 0)});
  add(2, {access(Kind::read, 3 * kPage)});  // has a stamp somewhere
  EXPECT_FALSE(is_unneeded(0, {}));
  EXPECT_FALSE(is_unneeded(2, {}));
}

TEST_F(PartPagesTest, TellTheStackAtTheEnd) {
  add(0, {Record::make(Kind::stack, 4, 0, 0, 0), access(Kind::read, kPage),
          Record::make(Kind::stack, 6, 0, 0, 0)});
  add(1, {access(Kind::read, kPage)});
  EXPECT_EQ(pages_.unneeded({}).at(&parts_[0]), 6U);
  EXPECT_EQ(pages_.unneeded({}).at(&parts_[1]), kNoStack);
}

}  // namespace
}  // namespace foretrace
