#include "hunting/section_file.h"

#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "hunting/steered_run.h"

namespace foretrace {
namespace {

class SectionFile : public testing::Test {
 protected:
  Result<std::vector<AtomicSection>> read(const std::string& text) {
    EXPECT_TRUE(write_text(path_, text));
    return read_sections(path_);
  }
  ~SectionFile() override { std::filesystem::remove(path_); }

  const std::string path_ = fmt::format("{}/foretrace_sections_{}",
                                        std::filesystem::temp_directory_path().string(), getpid());
};

constexpr const char* kTwo =
    "foretrace/sections/1\n"
    "\nsection\tload-and-store\tAccount::balance\n"
    "entry\tread\tsrc/a b.cpp:12:13\tdeposit\n"
    "end\twrite\tsrc/a b.cpp:12:13\tdeposit\tread\n"
    "\nsection\ttest-and-use\tqueue\tsynchronises\n"
    "entry\tread\tc:\\q.cpp:30:0\tpop\n"
    "end\tread\tc:\\q.cpp:31:14\tpop\tread,write\n"
    "end\twrite\tc:\\q.cpp:32:14\t-\tnone\n"
    "exit\tc:\\q.cpp:34:5\tpop\n";

TEST_F(SectionFile, WhatIsReadIsWrittenAgain) {
  const Result<std::vector<AtomicSection>> sections = read(kTwo);
  ASSERT_TRUE(sections) << sections.error().message;
  ASSERT_EQ(sections->size(), 2U);
  EXPECT_FALSE(sections->front().synchronises);
  EXPECT_TRUE(sections->back().synchronises);
  EXPECT_TRUE(sections->back().ends[0].is_never_reported());
  EXPECT_EQ(sections->back().ends[1].access, "write");
  EXPECT_EQ(sections_text(*sections), kTwo);
}

TEST_F(SectionFile, PlacesMayHaveNamesInCode) {
  const std::string text =
      "foretrace/sections/1\n"
      "\nsection\tuser\tx\n"
      "entry\tread\ta.c:1:2|@/bin/a+1f|@/bin/a+20\tf\n"
      "end\twrite\ta.c:3:0|@/bin/a+2b\tf\tread\n"
      "other\twrite\ta.c:9:0|@/bin/a+3c\t-\n";
  const Result<std::vector<AtomicSection>> sections = read(text);
  ASSERT_TRUE(sections) << sections.error().message;
  EXPECT_EQ(sections->front().entry.site, "a.c:1:2");
  EXPECT_EQ(sections->front().entry.code, "|@/bin/a+1f|@/bin/a+20");
  EXPECT_EQ(sections->front().others.size(), 1U);
  EXPECT_EQ(sections_text(*sections), text);
  for (const char* const bad : {"a.c:1:2|", "a.c:1:2|/bin/a+1f", "a.c:1:2|@/bin/a", "@/bin/a+1f"}) {
    EXPECT_FALSE(
        read(fmt::format("foretrace/sections/1\nsection\tuser\tx\nentry\tread\t{}\tf\n"
                         "end\tread\ta.c:1:1\tf\tread\n",
                         bad)))
        << bad;
  }
}

TEST_F(SectionFile, ErrorsNameTheLine) {
  const auto error = [&](const std::string& text) {
    const Result<std::vector<AtomicSection>> sections = read(text);
    return sections ? std::string() : sections.error().message.substr(path_.size());
  };
  const std::string start = "foretrace/sections/1\n";
  EXPECT_EQ(error("section\tuser\tx\n"), ":1: the first line is not foretrace/sections/1");
  EXPECT_EQ(error(start + "entry\tread\ta.c:1:1\tf\n"), ":2: entry comes before any section");
  EXPECT_EQ(error(start + "section\tuser\tx\nentry\tlook\ta.c:1:1\tf\n"),
            ":3: 'look' is not read or write");
  EXPECT_EQ(error(start + "section\tuser\tx\nentry\tread\ta.c\tf\n"),
            ":3: 'a.c' is not file:line:column");
  EXPECT_EQ(
      error(start + "section\tuser\tx\nentry\tread\ta.c:1:1\tf\nend\tread\ta.c:2:1\tf\tall\n"),
      ":4: what is allowed is none, read, write or read,write, not 'all'");
  EXPECT_EQ(error(start + "section\tuser\tx\nsection\tuser\ty\n"),
            ":3: the section before has no entry");
}

FindingEvent event(Op op, const std::string& site) {
  FindingEvent made;
  made.op = op;
  made.object = "balance";
  made.site = site;
  made.function = "deposit";
  return made;
}

TEST(SectionsOfFindings, ReadAndWriteOfOneFunctionAreASection) {
  Finding race;
  race.kind = "data-race";
  race.events = {event(Op::rd, "a.cpp:10:3"), event(Op::wr, "a.cpp:12:9")};
  const std::vector<AtomicSection> sections = sections_of({race});
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_EQ(sections[0].kind, "load-and-store");
  EXPECT_EQ(sections[0].entry.site, "a.cpp:10:3");
  EXPECT_EQ(sections[0].entry.access, "read");
  EXPECT_EQ(sections[0].ends[0].site, "a.cpp:12:9");
  EXPECT_TRUE(sections[0].ends[0].allows_reads);
  EXPECT_FALSE(sections[0].ends[0].allows_writes);
}

}  // namespace
}  // namespace foretrace
