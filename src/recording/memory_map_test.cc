#include "recording/memory_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace {
namespace {

using testing::ElementsAre;

struct MemoryMapTest : testing::Test {
  LocationId next = 0;
  MemoryMap map{[this](uint64_t, uint64_t) { return next++; }};
};

TEST_F(MemoryMapTest, SameBytesAreTheSameLocation) {
  EXPECT_THAT(map.locate(0x1000, 4), ElementsAre(0));
  EXPECT_THAT(map.locate(0x1004, 4), ElementsAre(1));
  EXPECT_THAT(map.locate(0x1000, 4), ElementsAre(0));
}

TEST_F(MemoryMapTest, NeighbouringBytesAreNotOneLocation) {
  EXPECT_THAT(map.locate(0x1000, 1), ElementsAre(0));
  EXPECT_THAT(map.locate(0x1001, 1), ElementsAre(1));
}

TEST_F(MemoryMapTest, AWiderAccessIsOfAllItsParts) {
  map.locate(0x1000, 4);
  EXPECT_THAT(map.locate(0x1000, 8), ElementsAre(0, 1));
  EXPECT_THAT(map.locate(0x1004, 4), ElementsAre(1));
}

TEST_F(MemoryMapTest, APartThatIsAccessedKeepsThePast) {
  map.locate(0x1000, 8);
  EXPECT_THAT(map.locate(0x1004, 4), ElementsAre(0));
  EXPECT_THAT(map.locate(0x1000, 8), ElementsAre(1, 0));
}

TEST_F(MemoryMapTest, ARangeIsOneLocationAWordAndCrossesPages) {
  EXPECT_THAT(map.locate(0x1FFC, 12), ElementsAre(0, 1));
  EXPECT_THAT(map.locate(0x2000, 8), ElementsAre(1));
}

TEST_F(MemoryMapTest, FreedMemoryIsNewWhenUsedAgain) {
  map.locate(0x1000, 8);
  map.locate(0x3000, 8);
  map.forget(0x1000, 8);
  EXPECT_THAT(map.locate(0x1000, 8), ElementsAre(2));
  EXPECT_THAT(map.locate(0x3000, 8), ElementsAre(1));
  map.forget(0x0, 0x4000);
  EXPECT_THAT(map.locate(0x3000, 8), ElementsAre(3));
}

}  // namespace
}  // namespace foretrace
