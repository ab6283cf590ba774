#include "recording/debug_info.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace foretrace {
namespace {

// A program of four functions, built when the test runs.
class DebugInfoTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("debug_info.{}", ::getpid());
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "p.cpp")
        << "namespace bank { int total[4] = {1}; }\n"
           "struct Account { void deposit(); };\n"
           "static inline __attribute__((always_inline)) void add() {\n"
           "  asm volatile(\".globl in_add\\nin_add: nop\");\n"
           "}\n"
           "__attribute__((noinline)) void Account::deposit() {\n"
           "  add();\n"
           "}\n"
           "int main() { Account().deposit(); }\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string build(const char* options) {
    const std::string binary = (folder_ / "p").string();
    const std::string command =
        fmt::format("cd {} && g++ {} -O1 -no-pie p.cpp -o p && nm --defined-only p > names",
                    folder_.string(), options);
    EXPECT_EQ(std::system(command.c_str()), 0);
    return binary;
  }
  uint64_t address_of(const std::string& symbol) {
    std::ifstream names(folder_ / "names");
    for (std::string address, kind, name; names >> address >> kind >> name;) {
      if (name == symbol) return std::stoull(address, nullptr, 16);
    }
    ADD_FAILURE() << symbol;
    return 0;
  }

  std::filesystem::path folder_;
};

TEST_F(DebugInfoTest, InlinedFunctionsAreFrames) {
  for (const char* options : {"-g", "-gdwarf-4"}) {
    const DebugInfo info(build(options));
    const std::vector<CodeFrame> frames = info.frames(address_of("in_add"));
    ASSERT_EQ(frames.size(), 2U) << options;
    EXPECT_EQ(frames[0].function, "add");
    EXPECT_EQ(frames[0].line, 4U);
    EXPECT_THAT(frames[0].file, testing::EndsWith("p.cpp"));
    EXPECT_EQ(frames[1].function, "Account::deposit");
    EXPECT_EQ(frames[1].line, 7U);
  }
}

TEST_F(DebugInfoTest, WithoutDebugInformationThereAreSymbols) {
  const DebugInfo info(build("-g0"));
  const std::vector<CodeFrame> frames = info.frames(address_of("_ZN7Account7depositEv") + 1);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].function, "Account::deposit()");
  EXPECT_EQ(frames[0].line, 0U);
}

TEST_F(DebugInfoTest, VariablesHaveNamesAndOffsets) {
  const DebugInfo info(build("-g"));
  const uint64_t total = address_of("_ZN4bank5totalE");
  EXPECT_EQ(info.variable(total), "bank::total");
  EXPECT_EQ(info.variable(total + 8), "bank::total+8");
  EXPECT_EQ(info.variable(16), "");
}

TEST_F(DebugInfoTest, AFileThatIsNoProgramHasNothing) {
  EXPECT_TRUE(DebugInfo((folder_ / "p.cpp").string()).frames(1).empty());
  EXPECT_TRUE(DebugInfo("/no/such/file").frames(1).empty());
}

}  // namespace
}  // namespace foretrace
