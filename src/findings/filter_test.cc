#include "findings/filter.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A file that is there as long as the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              (::testing::UnitTest::GetInstance()->current_test_info()->name() +
               std::to_string(::getpid()))) {
    std::ofstream(path_) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Finding race_on(const std::string& variable, const std::string& site) {
  Finding finding;
  finding.id = "hb-1234";
  finding.analysis = "hb";
  finding.kind = "data-race";
  finding.variable = variable;
  finding.events = {{0, "1", Op::wr, variable, site, "deposit", {}},
                    {1, "2", Op::wr, variable, "main.cpp:9", "main", {}}};
  return finding;
}

TEST(Suppressions, MatchPatternsAllOfWhichMustHold) {
  const TemporaryFile file(
      "# comment\n"
      "variable=stats.* kind=data-race  # both\n"
      "site=third_party/*\n"
      "\n"
      "function=never\n");
  Suppressions rules = Suppressions::read(file.path()).value();
  EXPECT_TRUE(rules.covers(race_on("stats.hits", "a.cpp:1")));
  EXPECT_TRUE(rules.covers(race_on("x", "third_party/z.cpp:7")));
  EXPECT_FALSE(rules.covers(race_on("x", "a.cpp:1")));
  EXPECT_THAT(rules.unused(), ElementsAre(HasSubstr(":5: this suppression matched nothing")));
}

TEST(Suppressions, RefuseUnknownKeysWithAHint) {
  const TemporaryFile file("variable=x\nvarable=y\n");
  const Result<Suppressions> rules = Suppressions::read(file.path());
  ASSERT_FALSE(rules);
  EXPECT_THAT(rules.error().message, HasSubstr(":2: 'varable=y' is not a condition"));
  EXPECT_THAT(rules.error().message, HasSubstr("did you mean 'variable'?"));
}

TEST(Baseline, IsTheIdsOfAReport) {
  const TemporaryFile file(
      R"({"schema": "foretrace/findings/1", "findings": [{"id": "hb-1"}, {"id": "cp-2"}]})");
  const auto ids = read_baseline(file.path()).value();
  EXPECT_EQ(ids.size(), 2U);
  EXPECT_TRUE(ids.contains("hb-1"));
}

TEST(Baseline, RefusesWhatIsNoReport) {
  for (const char* const content :
       {"", "{", "[]", "{}", R"({"schema": "other/1", "findings": []})",
        R"({"schema": "foretrace/findings/1"})",
        R"({"schema": "foretrace/findings/1", "findings": [1]})",
        R"({"schema": "foretrace/findings/1", "findings": [{"id": 5}]})"}) {
    const TemporaryFile file(content);
    const auto ids = read_baseline(file.path());
    ASSERT_FALSE(ids) << content;
    EXPECT_THAT(ids.error().message, HasSubstr(file.path()));
  }
}

TEST(Suppressions, FilesAndLibrariesOfSites) {
  const TemporaryFile by_file("file=src/*.cpp\n");
  EXPECT_TRUE(Suppressions::read(by_file.path())->covers(race_on("x", "src/bank.cpp:41:7")));
  EXPECT_FALSE(Suppressions::read(by_file.path())->covers(race_on("x", "lib/bank.cpp:41")));
}

TEST(Suppressions, LibrariesAreAskedFor) {
  const TemporaryFile file("library=*/libbank.so\n");
  Result<Suppressions> suppressions = Suppressions::read(file.path());
  ASSERT_TRUE(suppressions);
  EXPECT_FALSE(suppressions->covers(race_on("x", "bank.cpp:41")));
  suppressions->set_library_of([](std::string_view site) {
    return std::string(site == "bank.cpp:41" ? "/opt/libbank.so" : "");
  });
  EXPECT_TRUE(suppressions->covers(race_on("x", "bank.cpp:41")));
  EXPECT_FALSE(suppressions->covers(race_on("x", "bank.cpp:42")));
}

TEST(Suppressions, SomeAreBuiltIn) {
  Suppressions built_in = Suppressions::built_in();
  Finding finding = race_on("count", "basic_string.h:10");
  EXPECT_FALSE(built_in.covers(finding));
  finding.events[0].function = "std::basic_string<char>::_M_is_leaked";
  EXPECT_TRUE(built_in.covers(finding));
}

}  // namespace
}  // namespace foretrace
