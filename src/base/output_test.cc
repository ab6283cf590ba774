#include "base/output.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace foretrace {
namespace {

using ::testing::HasSubstr;

class Output : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path).rdbuf();
    return bytes.str();
  }
  size_t file_count() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                             std::filesystem::directory_iterator()));
  }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("foretrace_output_test_{}", ::getpid());
};

TEST_F(Output, WritesAFile) {
  const std::unique_ptr<ByteSink> sink = open_output(path("a")).value();
  const std::string large(1'000'000, 'x');
  sink->write("one ");
  sink->write(large);
  sink->write(" two");
  ASSERT_TRUE(sink->close());
  EXPECT_EQ(content(path("a")), "one " + large + " two");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Output, ReplacesAFileOnlyWhenItIsWhole) {
  std::ofstream(path("a")) << "old";
  {
    const std::unique_ptr<ByteSink> sink = open_output(path("a")).value();
    sink->write("new");
    EXPECT_EQ(content(path("a")), "old");
  }  // not closed: as if it had failed
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(file_count(), 1U);
  const std::unique_ptr<ByteSink> sink = open_output(path("a")).value();
  sink->write("new");
  ASSERT_TRUE(sink->close());
  EXPECT_EQ(content(path("a")), "new");
}

TEST_F(Output, CompressesByName) {
  for (const std::string name : {"a.gz", "a.zst"}) {
    const std::unique_ptr<ByteSink> sink = open_output(path(name)).value();
    sink->write(std::string(100'000, 'x'));
    ASSERT_TRUE(sink->close());
    EXPECT_LT(std::filesystem::file_size(path(name)), 1000U);
  }
}

TEST_F(Output, SaysWhyItCannotWrite) {
  EXPECT_THAT(open_output(path(".")).error().message, HasSubstr("it is a directory"));
  EXPECT_THAT(open_output(path("no/a")).error().message, HasSubstr("No such file or directory"));
  // A device stays what it is, and its errors come out at the end.
  for (const std::string ending : {"", ".gz", ".zst"}) {
    std::filesystem::create_symlink("/dev/full", path("full" + ending));
    const std::unique_ptr<ByteSink> sink = open_output(path("full" + ending)).value();
    sink->write("text");
    const Result<void> closed = sink->close();
    ASSERT_FALSE(closed);
    EXPECT_THAT(closed.error().message, HasSubstr("No space left on device"));
    EXPECT_TRUE(std::filesystem::is_symlink(path("full" + ending)));
  }
}

TEST(StringOutput, Appends) {
  std::string target = "a";
  const std::unique_ptr<ByteSink> sink = string_output(target);
  sink->write("b");
  ASSERT_TRUE(sink->close());
  EXPECT_EQ(target, "ab");
}

}  // namespace
}  // namespace foretrace
