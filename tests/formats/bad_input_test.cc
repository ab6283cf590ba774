// Input that is no trace, or an extreme one: one clear sentence or the right
// answer, in bounded memory.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/trace_io.h"

namespace foretrace::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Gives `size` bytes without holding them.
class EndlessSource : public ByteSource {
 public:
  EndlessSource(std::string head, char filler, uint64_t size)
      : ByteSource("endless"), head_(std::move(head)), filler_(filler), left_(size) {}
  Result<size_t> read(std::span<char> into) override {
    if (!head_.empty()) {
      const size_t count = std::min(into.size(), head_.size());
      std::copy_n(head_.begin(), count, into.begin());
      head_.erase(0, count);
      return count;
    }
    const size_t count = std::min<uint64_t>(into.size(), left_);
    std::fill_n(into.begin(), count, filler_);
    left_ -= count;
    return count;
  }

 private:
  std::string head_;
  const char filler_;
  uint64_t left_;
};

uint64_t peak_memory() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

std::string error_of_file(const std::string& path) {
  const Result<std::unique_ptr<TraceReader>> reader = open_trace(path);
  return reader ? "" : reader.error().message;
}

TEST(BadInput, EmptyFile) {
  EXPECT_EQ(read_raw("").error, "trace is empty: there is no trace in it");
  EXPECT_THAT(read_raw("\n\n\n").error, HasSubstr("not a trace in a known format"));
}

TEST(BadInput, BinaryNoise) {
  uint64_t state = 88172645463325252ULL;
  for (size_t size = 1; size < 6000; size += 61) {
    std::string bytes;
    while (bytes.size() < size) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      bytes += static_cast<char>(state >> 32);
    }
    EXPECT_NE(read_raw(bytes).error, "") << size;
    for (const Format& format : formats()) {
      const RawTrace trace = read_raw(bytes, format.name);
      // RoadRunner skips all lines that are not its own, and says so.
      if (format.name == "roadrunner") {
        EXPECT_EQ(trace.events.size(), 0U);
      } else {
        EXPECT_NE(trace.error, "") << format.name << size;
      }
    }
  }
}

TEST(BadInput, DirectoryAndMissingAndUnreadableFile) {
  EXPECT_EQ(error_of_file("/tmp"), "/tmp is a directory, not a trace; name a file in it");
  EXPECT_EQ(error_of_file("/nonexistent"), "cannot open /nonexistent: No such file or directory");
  if (::geteuid() == 0) return;  // root reads everything
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("foretrace_unreadable_{}", ::getpid());
  std::ofstream(path) << "wr 1 x\n";
  ::chmod(path.c_str(), 0);
  EXPECT_THAT(error_of_file(path), HasSubstr("Permission denied"));
  std::filesystem::remove(path);
}

TEST(BadInput, ALineOf100MB) {
  const uint64_t before = peak_memory();
  for (const std::string_view format : {"", "tiddle", "std", "roadrunner"}) {
    for (const std::string_view head : {"", "wr 1 ", "T1|w(", "@ Wr(1,"}) {
      auto source = std::make_unique<EndlessSource>(std::string(head), 'a', 100'000'000);
      const Result<std::unique_ptr<TraceReader>> reader = open_trace(std::move(source), format);
      std::string error = reader ? "" : reader.error().message;
      if (reader) {
        EventBuffer buffer;
        const Result<void> done = (*reader)->read(buffer);
        if (!done) error = done.error().message;
      }
      EXPECT_THAT(error, ::testing::AnyOf(
                             HasSubstr("endless:1: this line is longer than 1,048,576 characters"),
                             HasSubstr("not a trace in a known format")));
    }
  }
  EXPECT_LT(peak_memory() - before, 50'000'000U);
}

TEST(BadInput, ALongCommentOrNameComesFirst) {
  const std::string name(900'000, 'x');
  for (const std::string& text : {std::string(100'000, '#') + "\nwr 1 x\n", "wr 1 " + name + "\n",
                                  "T1|w(" + name + ")|1\n"}) {
    const RawTrace trace = read_raw(text);
    EXPECT_EQ(trace.error, "");
    EXPECT_EQ(trace.events.size(), 1U);
  }
}

TEST(BadInput, ALineOf100MBInTheMiddle) {
  auto source = std::make_unique<EndlessSource>("T1|w(V1)|1\nT1|w(V1)|1\nT1|w(", 'a', 100'000'000);
  const Result<std::unique_ptr<TraceReader>> reader = open_trace(std::move(source));
  ASSERT_TRUE(reader);
  EventBuffer buffer;
  EXPECT_THAT((*reader)->read(buffer).error().message,
              StartsWith("endless:3: this line is longer"));
}

TEST(BadInput, LongNames) {
  const std::string digits = "123456789012345678901234567890";
  EXPECT_THAT(event_texts(read_raw("wr " + digits + " x\n")),
              ::testing::ElementsAre("wr " + digits + " x"));
  EXPECT_THAT(event_texts(read_raw("T" + digits + "|w(V" + digits + ")|" + digits + "\n")),
              ::testing::ElementsAre("wr T" + digits + " V" + digits + " @ " + digits));
  EXPECT_THAT(event_texts(read_raw(digits + "|fork(" + digits + "1)|0\n")),
              ::testing::ElementsAre("fork T" + digits + " T" + digits + "1"));
  EXPECT_THAT(event_texts(read_raw("@ Wr(" + digits + ",x)\n")),
              ::testing::ElementsAre("wr " + digits + " x"));
}

// A few names with large numbers must not make large tables.
TEST(BadInput, SparseNumbers) {
  const uint64_t before = peak_memory();
  std::string text;
  for (int c = 'A'; c <= 'z'; ++c) {
    for (const int number : {999'999'999, 999'999, 50'000}) {
      text += fmt::format("T1|w({}{})|{}\n", static_cast<char>(c == '|' ? 'a' : c), number, number);
    }
  }
  const RawTrace trace = read_raw(text + text, "std");
  EXPECT_EQ(trace.error, "");
  EXPECT_EQ(trace.symbols->names(Space::location).size(), 3U * ('z' - 'A' + 1));
  EXPECT_LT(peak_memory() - before, 20'000'000U);
}

TEST(BadInput, SeventyThousandThreads) {
  std::string text;
  for (int i = 1; i <= 70'000; ++i) text += fmt::format("T0|fork(T{})|0\nT{}|w(V1)|0\n", i, i);
  const Result<Trace> trace = read_trace(text);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events.size(), 140'000U);
  EXPECT_EQ(trace->symbols->names(Space::thread).size(), 70'001U);
  for (const std::string_view format : {"tiddle", "ftr", "roadrunner"}) {
    const WrittenTrace written = write_trace(trace->batch(), *trace->symbols, format);
    EXPECT_EQ(written.error, "");
    EXPECT_EQ(read_trace(written.bytes)->events.size(), 140'000U) << format;
  }
  EXPECT_THAT(write_trace(trace->batch(), *trace->symbols, "rapidbin").error,
              HasSubstr("RapidBin holds at most 1,024 threads"));
}

TEST(BadInput, TruncatedCompression) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("foretrace_cut_{}", ::getpid());
  std::filesystem::create_directory(folder);
  for (const std::string ending : {".gz", ".zst"}) {
    const std::string path = (folder / ("a.std" + ending)).string();
    const std::unique_ptr<ByteSink> sink = open_output(path).value();
    for (int i = 0; i < 50'000; ++i) sink->write(fmt::format("T1|w(V{})|{}\n", i * 7919 % 1000, i));
    ASSERT_TRUE(sink->close());
    EXPECT_EQ(read_raw(file_bytes(path)).events.size(), 50'000U);
    const std::string bytes = file_bytes(path);
    for (const size_t size : {bytes.size() - 1, bytes.size() / 2, size_t{20}}) {
      EXPECT_THAT(read_raw(bytes.substr(0, size)).error, HasSubstr("data is cut off"))
          << ending << size;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(BadInput, UnknownFormatName) {
  EXPECT_EQ(read_raw("wr 1 x\n", "tidle").error,
            "'tidle' is not a trace format (ftr, rapidbin, recording, roadrunner, std, tiddle); "
            "did you mean "
            "'tiddle'?");
}

}  // namespace
}  // namespace foretrace::testing
