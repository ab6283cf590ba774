#include "runtime/large_blocks.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace foretrace::runtime {
namespace {

constexpr uint64_t kA = 0x100000;
constexpr uint64_t kB = 0x200000;
constexpr uint64_t kBytes = 0x10000;

struct LargeBlocksTest : testing::Test {
  LargeBlocksTest() {
    begin_large_block(kA, kBytes);
    begin_large_block(kB, kBytes);
  }
  ~LargeBlocksTest() override {
    end_large_block(kA);
    end_large_block(kB);
  }
};

constexpr uint64_t kElsewhere = 0x400000;

TEST_F(LargeBlocksTest, TwoAreDifferentMemory) {
  EXPECT_FALSE(may_be_in_one_block(kA, kB));
  EXPECT_FALSE(may_be_in_one_block(kB + kBytes - 1, kA + kBytes - 1));
  EXPECT_TRUE(may_be_in_one_block(kA, kA + kBytes - 1));
}

TEST_F(LargeBlocksTest, OneIsOtherMemoryThanWhatIsInNone) {
  EXPECT_FALSE(may_be_in_one_block(kElsewhere, kB));
  EXPECT_FALSE(may_be_in_one_block(kB, kElsewhere));
  EXPECT_FALSE(may_be_in_one_block(0x10, kA));
  EXPECT_TRUE(may_be_in_one_block(kElsewhere, 0x10));
}

TEST_F(LargeBlocksTest, ItsBordersMayBelongToIt) {
  EXPECT_TRUE(may_be_in_one_block(kA, kA + kBytes));
  EXPECT_TRUE(may_be_in_one_block(kA + kBytes, kA));
  EXPECT_TRUE(may_be_in_one_block(kA - 8, kA + 100));
}

TEST_F(LargeBlocksTest, OnesThatAreOverAreNone) {
  end_large_block(kA);
  EXPECT_TRUE(may_be_in_one_block(kA, kElsewhere));
  EXPECT_FALSE(may_be_in_one_block(kA, kB));
  begin_large_block(kA + kBytes / 2, kBytes);
  EXPECT_TRUE(may_be_in_one_block(kA, kElsewhere));
  EXPECT_FALSE(may_be_in_one_block(kA + kBytes, kElsewhere));
  begin_large_block(kA, kBytes);  // takes the place of the other
  EXPECT_FALSE(may_be_in_one_block(kA, kElsewhere));
  EXPECT_TRUE(may_be_in_one_block(kA + kBytes + 1000, kElsewhere));
}

TEST_F(LargeBlocksTest, MoreThanAreKeptAreNotKnown) {
  constexpr uint64_t kMany = 3000;
  const auto address = [](uint64_t number) { return 0x1000000 + number * 2 * kBytes; };
  for (uint64_t i = 0; i < kMany; ++i) begin_large_block(address(i), kBytes);
  EXPECT_FALSE(may_be_in_one_block(address(0), kElsewhere));
  EXPECT_TRUE(may_be_in_one_block(address(kMany - 1), kElsewhere));
  for (uint64_t i = 0; i < kMany; ++i) end_large_block(address(i));
  EXPECT_FALSE(may_be_in_one_block(kA, kElsewhere));
}

TEST_F(LargeBlocksTest, WhoReadsWhileAnotherWritesIsNotToldWrong) {
  std::atomic<bool> ended{false};
  std::thread writer([&] {
    for (int i = 0; i < 20000; ++i) {
      begin_large_block(kA - 2 * kBytes, kBytes);  // moves the others
      end_large_block(kA - 2 * kBytes);
    }
    ended = true;
  });
  while (!ended) {
    ASSERT_TRUE(may_be_in_one_block(kA, kA + 1));
    ASSERT_TRUE(may_be_in_one_block(kElsewhere, kElsewhere + 1));
  }
  writer.join();
}

}  // namespace
}  // namespace foretrace::runtime
