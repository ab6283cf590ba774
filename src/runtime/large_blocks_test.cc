#include "runtime/large_blocks.h"

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Of a range of 100 bytes.
bool reaches(uint64_t pointer, uint64_t first) { return may_reach(pointer, first, first + 100); }

TEST_F(LargeBlocksTest, TwoAreDifferentMemory) {
  EXPECT_FALSE(reaches(kA, kB));
  EXPECT_FALSE(reaches(kB + kBytes - 1, kA + kBytes - 200));
  EXPECT_TRUE(reaches(kA, kA + kBytes - 1));
  EXPECT_FALSE(may_reach(kA, kB, kB + kBytes));
  EXPECT_TRUE(may_reach(kA, kA, kB + kBytes));
}

TEST_F(LargeBlocksTest, OneIsOtherMemoryThanWhatIsInNone) {
  EXPECT_FALSE(reaches(kElsewhere, kB));
  EXPECT_FALSE(reaches(kB, kElsewhere));
  EXPECT_FALSE(reaches(0x10, kA));
  EXPECT_TRUE(reaches(kElsewhere, 0x10));
}

TEST_F(LargeBlocksTest, WhatIsPartlyInOneMayBeElsewhere) {
  EXPECT_TRUE(may_reach(kElsewhere, kA - 8, kA + 100));
  EXPECT_TRUE(may_reach(kElsewhere, kA + kBytes - 8, kA + kBytes + 8));
  EXPECT_TRUE(may_reach(kElsewhere, kA, kB + 8));
}

TEST_F(LargeBlocksTest, ItsBordersMayBelongToIt) {
  EXPECT_TRUE(reaches(kA, kA + kBytes));
  EXPECT_TRUE(reaches(kA + kBytes, kA));
  EXPECT_TRUE(reaches(kA - 8, kA + 100));
}

TEST_F(LargeBlocksTest, APointerMayBeKeptShifted) {
  EXPECT_TRUE(reaches(kA - 1000, kA + 5000));
  EXPECT_TRUE(reaches(kA + kBytes + 1000, kA + 5000));
  EXPECT_FALSE(reaches(kA - 2000, kA + 5000));
  // In the end of one block, and shifted from the next.
  constexpr uint64_t kNext = kA + kBytes + 16;
  EXPECT_TRUE(reaches(kNext - 100, kNext + 5000));
  EXPECT_FALSE(reaches(kNext - 2000, kNext + 5000));
  begin_large_block(kNext, kBytes);
  EXPECT_TRUE(reaches(kNext - 100, kNext + 5000));
  EXPECT_FALSE(reaches(kNext - 2000, kNext + 5000));
  EXPECT_FALSE(reaches(kNext - 100, kB));
  end_large_block(kNext);
}

TEST_F(LargeBlocksTest, ARangeOfNothingIsNotReached) {
  EXPECT_FALSE(may_reach(kA, kA + 100, kA + 100));
  EXPECT_FALSE(may_reach(kElsewhere, kElsewhere, kElsewhere));
}

TEST_F(LargeBlocksTest, OnesThatAreOverAreNone) {
  end_large_block(kA);
  EXPECT_TRUE(reaches(kA, kElsewhere));
  EXPECT_FALSE(reaches(kA, kB));
  begin_large_block(kA + kBytes / 2, kBytes);
  EXPECT_TRUE(reaches(kA, kElsewhere));
  EXPECT_FALSE(reaches(kA + kBytes, kElsewhere));
  begin_large_block(kA, kBytes);  // takes the place of the other
  EXPECT_FALSE(reaches(kA, kElsewhere));
  EXPECT_TRUE(reaches(kA + kBytes + 1000, kElsewhere));
}

TEST_F(LargeBlocksTest, MoreThanAreKeptAreNotKnown) {
  constexpr uint64_t kMany = 3000;
  const auto address = [](uint64_t number) { return 0x1000000 + number * 2 * kBytes; };
  for (uint64_t i = 0; i < kMany; ++i) begin_large_block(address(i), kBytes);
  EXPECT_FALSE(reaches(address(0), kElsewhere));
  EXPECT_TRUE(reaches(address(kMany - 1), kElsewhere));
  for (uint64_t i = 0; i < kMany; ++i) end_large_block(address(i));
  EXPECT_FALSE(reaches(kA, kElsewhere));
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
    ASSERT_TRUE(reaches(kA, kA + 1));
    ASSERT_TRUE(reaches(kElsewhere, kElsewhere + 1));
  }
  writer.join();
}

// More of them than processors, so that some have to pause in the middle of a change.
TEST_F(LargeBlocksTest, ManyWhoChangeThemLoseNone) {
  std::vector<std::thread> threads;
  std::vector<uint64_t> blocks;
  for (uint64_t i = 0; i < 500; ++i) blocks.push_back(kA + (i + 1) * 32 * kBytes);
  for (const uint64_t block : blocks) begin_large_block(block, kBytes);
  for (uint64_t number = 1; number <= 8; ++number) {
    threads.emplace_back([number] {
      for (int i = 0; i < 20000; ++i) {
        begin_large_block(number * 0x1000, 0x1000);  // moves the others
        end_large_block(number * 0x1000);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(reaches(kA, kB));
  EXPECT_FALSE(reaches(kElsewhere, blocks.front()));
  EXPECT_FALSE(reaches(kElsewhere, blocks.back()));
  for (const uint64_t block : blocks) end_large_block(block);
}

constexpr uint64_t kOfHandler = kB + 4 * kBytes;
volatile sig_atomic_t handled = 0;

TEST_F(LargeBlocksTest, AHandlerThatInterruptsAChangeDoesNotWait) {
  const auto before = std::signal(SIGALRM, [](int) {
    begin_large_block(kOfHandler, kBytes);
    end_large_block(kOfHandler);
    handled = handled + 1;
  });
  const itimerval often = {{0, 50}, {0, 50}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  while (handled < 2000) {
    begin_large_block(kA - 2 * kBytes, kBytes);
    end_large_block(kA - 2 * kBytes);
    ASSERT_TRUE(reaches(kOfHandler, kElsewhere));
  }
  const itimerval never = {};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  std::signal(SIGALRM, before);
  begin_large_block(kA, kBytes);  // they may have been forgotten, but not for good
  EXPECT_FALSE(reaches(kA, kElsewhere));
}

TEST_F(LargeBlocksTest, AChildOfForkDoesNotWaitForThreadsOfItsParent) {
  std::atomic<bool> ended{false};
  std::thread writer([&] {
    while (!ended) {
      begin_large_block(kA - 2 * kBytes, kBytes);
      end_large_block(kA - 2 * kBytes);
    }
  });
  for (int i = 0; i < 100; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      release_large_blocks();
      begin_large_block(kB, kBytes);
      ::_exit(reaches(kB, kElsewhere) ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  ended = true;
  writer.join();
}

}  // namespace
}  // namespace foretrace::runtime
