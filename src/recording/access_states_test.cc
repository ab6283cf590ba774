#include "recording/access_states.h"

#include <gtest/gtest.h>

namespace foretrace {
namespace {

struct AccessStatesTest : testing::Test {
  HardOrder order;
  AccessStates states{order};

  // Until there are many states, or so many new ones.
  size_t add_states(size_t most) {
    size_t added = 0;
    for (; added < most && !states.are_many(); ++added) {
      order.arrive(0, 1);
      states.after(AccessStates::kUntouched, {0, order.epoch(0), true, false, {}});
    }
    return added;
  }
  void drop_all(size_t looked_at) {
    states.begin_dropping();
    states.end_dropping(looked_at);
  }
};

constexpr size_t kMillion = 1'000'000;

TEST_F(AccessStatesTest, AreDroppedTheMoreSeldomTheMoreMemoryThatTakes) {
  const size_t first = add_states(kMillion);
  ASSERT_LT(first, kMillion);
  drop_all(256 * first);
  const size_t later = add_states(kMillion);
  EXPECT_GT(later, first * 3 / 2);
  EXPECT_LT(later, first * 3);
}

TEST_F(AccessStatesTest, OfLittleMemoryAreDroppedAsOften) {
  const size_t first = add_states(kMillion);
  drop_all(first);
  EXPECT_EQ(add_states(kMillion), first);
}

}  // namespace
}  // namespace foretrace
