#include "lint/sections.h"

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

// Table 1 of paper 003: what is listed there is not allowed.
TEST(Sections, WhatOthersMayDo) {
  const auto allowed = [](bool entry_writes, bool end_writes) {
    const SectionEnd end = serializable_end(entry_writes, end_writes, {});
    return std::pair(end.others_may_read, end.others_may_write);
  };
  EXPECT_EQ(allowed(false, false), std::pair(true, false));
  EXPECT_EQ(allowed(true, false), std::pair(true, false));
  EXPECT_EQ(allowed(true, true), std::pair(false, true));
  EXPECT_EQ(allowed(false, true), std::pair(true, false));
}

TEST(Sections, Text) {
  AtomicSection section;
  section.kind = "load-and-store";
  section.variable = "Account::balance";
  section.function = "Account::deposit";
  section.entry = {Name("/src/account.cpp"), 12, 13};
  section.ends = {serializable_end(false, true, {Name("/src/account.cpp"), 12, 13})};
  section.exits = {{Name("/src/account.cpp"), 20, 3}};
  EXPECT_EQ(to_text({section}),
            "foretrace/sections/1\n"
            "\n"
            "section\tload-and-store\tAccount::balance\n"
            "entry\tread\t/src/account.cpp:12:13\tAccount::deposit\n"
            "end\twrite\t/src/account.cpp:12:0\tAccount::deposit\tread\n"
            "exit\t/src/account.cpp:20:3\tAccount::deposit\n");
  section.synchronises = true;
  EXPECT_NE(to_text({section}).find("section\tload-and-store\tAccount::balance\tsynchronises\n"),
            std::string::npos);
}

}  // namespace
}  // namespace foretrace::lint
