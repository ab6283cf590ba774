#include "base/team.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

namespace foretrace {
namespace {

TEST(Team, EachMemberDoesItsPartInEachRound) {
  Team team(4);
  std::vector<int> parts(4);
  for (int round = 1; round <= 1000; ++round) {
    team.run([&](size_t member) { ++parts[member]; });
    ASSERT_EQ(parts, std::vector<int>(4, round));
  }
}

TEST(Team, MembersWorkAtTheSameTime) {
  Team team(3);
  std::atomic<int> here{0};
  team.run([&](size_t) {
    ++here;
    while (here < 3) std::this_thread::yield();  // for ever, if one waited for another
  });
  EXPECT_EQ(here, 3);
}

TEST(Team, OfOneIsTheCaller) {
  Team team(1);
  std::thread::id worker;
  team.run([&](size_t) { worker = std::this_thread::get_id(); });
  EXPECT_EQ(worker, std::this_thread::get_id());
}

TEST(Team, WhatAMemberThrowsReachesTheCaller) {
  Team team(3);
  std::atomic<int> done{0};
  const auto job = [&](size_t member) {
    if (member == 2) throw std::runtime_error("no");
    ++done;
  };
  EXPECT_THROW(team.run(job), std::runtime_error);
  EXPECT_EQ(done, 2);
  team.run([&](size_t) { ++done; });
  EXPECT_EQ(done, 5);
}

}  // namespace
}  // namespace foretrace
