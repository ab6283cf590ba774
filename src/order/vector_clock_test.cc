#include "order/vector_clock.h"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace foretrace {
namespace {

// The same as a map, where a missing thread has clock 0.
using Plain = std::map<ThreadId, uint64_t>;

struct Both {
  VectorClock clock;
  Plain plain;
};

uint64_t get(const Plain& plain, ThreadId thread) {
  const auto found = plain.find(thread);
  return found == plain.end() ? 0 : found->second;
}

bool at_most(const Plain& a, const Plain& b) {
  for (const auto& [thread, clock] : a) {
    if (clock > get(b, thread)) return false;
  }
  return true;
}

void check_equal(const Both& both, const std::vector<ThreadId>& threads) {
  for (const ThreadId thread : threads) {
    RC_ASSERT(both.clock.get(thread) == get(both.plain, thread));
  }
}

// Some small thread numbers, some that need a higher tree.
const std::vector<ThreadId> kThreads = {0, 1, 2, 15, 16, 17, 255, 256, 4095, 70'000, kMaxThreads};

RC_GTEST_PROP(VectorClock, IsAMapOfMaxima, ()) {
  std::vector<Both> clocks(4);
  const auto steps = *rc::gen::inRange(0, 60);
  for (int i = 0; i < steps; ++i) {
    Both& target = clocks[*rc::gen::inRange<size_t>(0, clocks.size())];
    const Both& other = clocks[*rc::gen::inRange<size_t>(0, clocks.size())];
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        const ThreadId thread = *rc::gen::elementOf(kThreads);
        const uint64_t value = *rc::gen::inRange<uint64_t>(1, 20);
        target.clock.raise(thread, value);
        target.plain[thread] = std::max(get(target.plain, thread), value);
        break;
      }
      case 1: {
        const Both copy = other;
        target = copy;
        break;
      }
      case 2: {
        target.clock.join(other.clock);
        const Plain theirs = other.plain;
        for (const auto& [thread, value] : theirs) {
          target.plain[thread] = std::max(get(target.plain, thread), value);
        }
        break;
      }
      default:
        RC_ASSERT((target.clock <= other.clock) == at_most(target.plain, other.plain));
        Plain above;
        target.clock.for_each_above(other.clock,
                                    [&](ThreadId thread, uint64_t value, uint64_t other_value) {
                                      RC_ASSERT(above.emplace(thread, value).second);
                                      RC_ASSERT(other_value == get(other.plain, thread));
                                    });
        for (const ThreadId thread : kThreads) {
          const uint64_t value = get(target.plain, thread);
          RC_ASSERT(get(above, thread) == (value > get(other.plain, thread) ? value : 0));
        }
        break;
    }
    for (const Both& both : clocks) check_equal(both, kThreads);
  }
}

TEST(VectorClock, EmptyIsAtMostEverything) {
  const VectorClock empty;
  VectorClock high;
  high.raise(kMaxThreads, 1);
  EXPECT_TRUE(empty <= high);
  EXPECT_FALSE(high <= empty);
  EXPECT_TRUE(empty <= empty);
}

TEST(Epoch, HoldsThreadAndClock) {
  const Epoch epoch(kMaxThreads, uint64_t{1} << 39);
  EXPECT_EQ(epoch.thread(), kMaxThreads);
  EXPECT_EQ(epoch.clock(), uint64_t{1} << 39);
  EXPECT_FALSE(epoch.is_zero());
  EXPECT_TRUE(Epoch().is_zero());
}

}  // namespace
}  // namespace foretrace
