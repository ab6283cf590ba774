#include "lint/commands.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LintCommands, DropsWhatOnlyGccKnows) {
  const auto words =
      clang_words({"ccache", "g++-12", "-fgnu-tm", "-std=c++20", "-Wall", "-O2", "-o", "x.o",
                   "--param", "a=b", "-I", "include", "-fopenmp", "-c", "x.cpp"});
  EXPECT_EQ(words.front(), "/usr/lib/llvm-22/bin/clang++");
  for (const char* gone :
       {"ccache", "g++-12", "-fgnu-tm", "-Wall", "-O2", "-o", "x.o", "a=b", "-c"}) {
    EXPECT_THAT(words, Not(Contains(gone)));
  }
  for (const char* kept : {"-std=c++20", "-I", "include", "-fopenmp", "x.cpp"}) {
    EXPECT_THAT(words, Contains(kept));
  }
}

TEST(LintCommands, OneForEachSourceOfACommand) {
  const auto commands = commands_of({"gcc", "-DA=1", "-c", "a.c", "-I", "odd.c", "b.c"}, "/here");
  ASSERT_TRUE(commands);
  ASSERT_EQ(commands->size(), 2U);
  EXPECT_EQ((*commands)[0].file, "/here/a.c");
  EXPECT_EQ((*commands)[1].file, "/here/b.c");
  EXPECT_THAT((*commands)[1].words, Not(Contains("a.c")));
  EXPECT_THAT((*commands)[1].words, Contains("odd.c"));
}

TEST(LintCommands, OnlyTheFilesThatAreNamed) {
  const std::string database = testing::TempDir() + "lint_commands.json";
  std::ofstream(database) << R"([
    {"directory": "/here", "file": "a.cpp", "command": "g++ -c a.cpp"},
    {"directory": "/here", "file": "b.cpp", "command": "g++ -c b.cpp"},
    {"directory": "/here", "file": "c.cpp", "command": "g++ -c c.cpp"}])";
  const auto some = read_compile_commands(database, {"/here/a.cpp"});
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 1U);
  EXPECT_EQ((*some)[0].file, "/here/a.cpp");
  EXPECT_EQ(read_compile_commands(database, {})->size(), 3U);
  EXPECT_FALSE(read_compile_commands(database, {"/here/d.cpp"}));
}

TEST(LintCommands, SaysWhatIsWrong) {
  const auto missing = read_compile_commands("/nonexistent", {});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("is not there"));
  EXPECT_FALSE(commands_of({"g++", "-c"}, "/here"));
}

}  // namespace
}  // namespace foretrace::lint
