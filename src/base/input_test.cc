#include "base/input.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/output.h"

namespace foretrace {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A file that is gone after the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("foretrace_input_test_{}{}", ::getpid(), ending)) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> source = open_input(path);
  if (!source) return source.error().message;
  ByteReader reader(std::move(*source));
  for (;;) {
    const Result<bool> more = reader.fill();
    if (!more) return more.error().message;
    if (!*more) return std::string(reader.window());
  }
}

// Bytes that compress a little.
std::string sample(size_t size) {
  std::string bytes;
  uint32_t state = 1;
  while (bytes.size() < size) {
    state = state * 1664525 + 1013904223;
    bytes += static_cast<char>('a' + (state >> 28));
  }
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  const std::unique_ptr<ByteSink> sink = open_output(path).value();
  sink->write(bytes);
  ASSERT_TRUE(sink->close());
}

std::string raw_bytes(const std::string& path) {
  std::string bytes;
  FILE* const file = std::fopen(path.c_str(), "rb");
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) bytes += static_cast<char>(c);
  std::fclose(file);
  return bytes;
}

class Inputs : public ::testing::TestWithParam<std::string> {};
class Compressions : public ::testing::TestWithParam<std::string> {};

TEST_P(Inputs, AreLookedThrough) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{100}, size_t{3'000'000}}) {
    const TemporaryFile file(GetParam());
    const std::string bytes = sample(size);
    write_file(file.path(), bytes);
    EXPECT_EQ(content_of(file.path()), bytes) << size;
  }
}

TEST_P(Inputs, MayComeInSeveralParts) {
  const TemporaryFile file(GetParam());
  write_file(file.path(), "first ");
  const std::string first = raw_bytes(file.path());
  write_file(file.path(), "second");
  const std::string both = first + raw_bytes(file.path());
  const std::unique_ptr<ByteSource> source = memory_input("memory", both).value();
  std::string content;
  std::array<char, 3> buffer = {};
  for (;;) {
    const size_t got = source->read(buffer).value();
    if (got == 0) break;
    content.append(buffer.data(), got);
  }
  EXPECT_EQ(content, "first second");
}

TEST_P(Compressions, TellWhenTheyAreCutOff) {
  const TemporaryFile file(GetParam());
  write_file(file.path(), sample(10'000));
  const std::string whole = raw_bytes(file.path());
  // From the fourth byte on it is recognised.
  for (size_t size = 4; size < whole.size(); size += 97) {
    std::unique_ptr<ByteSource> source = memory_input("memory", whole.substr(0, size)).value();
    ByteReader reader(std::move(source));
    const Result<bool> all = reader.want(10'000);
    ASSERT_FALSE(all) << size;
    EXPECT_THAT(all.error().message, MatchesRegex("memory: the g?zi?p?(std)? data is cut off.*"));
  }
}

TEST_P(Compressions, TellWhenTheyAreDamaged) {
  const TemporaryFile file(GetParam());
  write_file(file.path(), sample(10'000));
  std::string bytes = raw_bytes(file.path());
  for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 50; ++i) bytes[i] = '\xFF';
  ByteReader reader(memory_input("memory", bytes).value());
  Result<bool> all = reader.want(10'000);
  if (all) all = reader.want(10'001);  // the checksum comes last
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().message, HasSubstr("is damaged"));
}

INSTANTIATE_TEST_SUITE_P(Input, Inputs, ::testing::Values(".txt", ".gz", ".zst"),
                         [](const auto& tested) { return tested.param.substr(1); });
INSTANTIATE_TEST_SUITE_P(Input, Compressions, ::testing::Values(".gz", ".zst"),
                         [](const auto& tested) { return tested.param.substr(1); });

TEST(Input, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(content_of("/nonexistent/a"), "cannot open /nonexistent/a: No such file or directory");
  EXPECT_EQ(content_of("/tmp"), "/tmp is a directory, not a trace; name a file in it");
}

TEST(Input, ShowsProgressOfFiles) {
  const TemporaryFile file(".txt");
  write_file(file.path(), sample(4'000'000));
  ByteReader reader(open_input(file.path()).value());
  ASSERT_TRUE(reader.want(1));
  EXPECT_GT(reader.progress().value(), 0.0);
  EXPECT_LT(reader.progress().value(), 1.0);
  ASSERT_TRUE(reader.want(4'000'000).value());
  EXPECT_EQ(reader.progress().value(), 1.0);
}

TEST(ByteReader, KeepsWhatIsNotConsumed) {
  const std::string bytes = sample(5'000'000);
  ByteReader reader(memory_input("memory", bytes).value());
  size_t place = 0;
  for (size_t step = 1; place < bytes.size(); step = step * 3 % 1'000'003 + 1) {
    const size_t wanted = std::min(step, bytes.size() - place);
    ASSERT_TRUE(reader.want(wanted).value());
    ASSERT_EQ(reader.window().substr(0, wanted), std::string_view(bytes).substr(place, wanted));
    ASSERT_EQ(reader.offset(), place);
    const size_t used = (wanted + 1) / 2;
    reader.consume(used);
    place += used;
  }
  EXPECT_FALSE(reader.want(1).value());
}

}  // namespace
}  // namespace foretrace
