// .ftr files that were cut off or changed at any byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/trace_io.h"
#include "trace/formats/ftr_chunks.h"

namespace foretrace::testing {
namespace {

// A small file with names, sites, directives, values and several chunks of
// events; and for each event the byte where the chunk ends that holds it.
struct Sample {
  std::string bytes;
  std::vector<std::string> events;
  std::vector<size_t> chunk_ends;  // after the file's header and after each chunk
  std::vector<size_t> event_ends;
};

ftr::ChunkHeader header_at(std::string_view bytes, size_t place) {
  return ftr::parse_chunk_header(bytes.substr(place));
}

Sample make_sample() {
  Sample sample;
  std::string tiddle = "set s x y\nunit a s\n";
  for (int i = 0; i < 12; ++i) {
    tiddle += fmt::format("acq 1 l{} @ a.c:{}\nwr 1 x{} {} @ {}\nrel 1 l{}\n", i % 3, i + 1, i,
                          i % 2 == 0 ? i : 5'000'000'000LL + i, 100 + i, i % 3);
  }
  const Result<Trace> trace = read_trace(tiddle, "tiddle");
  sample.events = event_texts(*trace);

  // A chunk's size is fixed in the writer, so the file is put together from
  // writers of a few events each: each gives a header, chunks and an end mark.
  sample.bytes = write_trace({}, *trace->symbols, "ftr").bytes;
  sample.bytes.resize(sample.bytes.size() - 32);
  constexpr size_t kPart = 9;
  for (size_t first = 0; first < trace->events.size(); first += kPart) {
    const std::span<const Event> part = std::span(trace->events).subspan(first, kPart);
    const std::string written =
        write_trace({first, part, trace->big_values}, *trace->symbols, "ftr").bytes;
    // Only its EVNT chunk: the names stand at the front.
    for (size_t place = ftr::kFileHeader; place < written.size();) {
      const ftr::ChunkHeader header = header_at(written, place);
      const size_t size = ftr::kChunkHeader + header.stored_size;
      if (header.tag == ftr::kEvents) {
        sample.bytes += written.substr(place, size);
        for (size_t i = 0; i < part.size(); ++i) sample.event_ends.push_back(sample.bytes.size());
      }
      place += size;
    }
  }
  const std::string whole = write_trace(trace->batch(), *trace->symbols, "ftr").bytes;
  sample.bytes += whole.substr(whole.size() - 32);  // the end mark: 24 + 8 bytes
  for (size_t place = ftr::kFileHeader; place <= sample.bytes.size();) {
    sample.chunk_ends.push_back(place);
    if (place == sample.bytes.size()) break;
    place += ftr::kChunkHeader + header_at(sample.bytes, place).stored_size;
  }
  return sample;
}

TEST(Truncation, TheSampleIsWhole) {
  const Sample sample = make_sample();
  const RawTrace trace = read_raw(sample.bytes);
  EXPECT_EQ(trace.error, "");
  EXPECT_EQ(event_texts(trace), sample.events);
  EXPECT_THAT(trace.notes, ::testing::IsEmpty());
  EXPECT_GE(sample.chunk_ends.size(), 10U);
  EXPECT_EQ(sample.event_ends.size(), sample.events.size());
}

TEST(Truncation, EverythingUpToTheLastWholeChunkIsRead) {
  const Sample sample = make_sample();
  for (size_t size = 0; size < sample.bytes.size(); ++size) {
    const RawTrace trace = read_raw(sample.bytes.substr(0, size), "ftr");
    if (size < ftr::kFileHeader) {
      EXPECT_NE(trace.error, "") << size;
      continue;
    }
    EXPECT_EQ(trace.error, "") << size;
    const auto whole = std::upper_bound(sample.event_ends.begin(), sample.event_ends.end(), size) -
                       sample.event_ends.begin();
    const std::vector<std::string> expected(sample.events.begin(), sample.events.begin() + whole);
    EXPECT_EQ(event_texts(trace), expected) << size;
    ASSERT_EQ(trace.notes.size(), 1U) << size;
    EXPECT_THAT(trace.notes[0],
                ::testing::HasSubstr(fmt::format("the trace is cut off: {} event", whole)));
    const size_t lost =
        size - *(std::upper_bound(sample.chunk_ends.begin(), sample.chunk_ends.end(), size) - 1);
    if (lost == 0) {
      EXPECT_THAT(trace.notes[0], ::testing::HasSubstr("the end mark is missing"));
    } else {
      EXPECT_THAT(trace.notes[0], ::testing::HasSubstr(fmt::format("the last {} byte", lost)));
    }
  }
}

// What is read before a changed byte is right, and the change is either found
// or in one of the few bytes that mean nothing to this version.
TEST(Truncation, AChangedByteIsFound) {
  const Sample sample = make_sample();
  for (size_t place = 0; place < sample.bytes.size(); ++place) {
    for (const int change : {0x01, 0x20, 0x80, 0xFF}) {
      std::string bytes = sample.bytes;
      bytes[place] = static_cast<char>(bytes[place] ^ change);
      const RawTrace trace = read_raw(bytes, "ftr");
      const std::vector<std::string> events = event_texts(trace);
      ASSERT_LE(events.size(), sample.events.size());
      EXPECT_TRUE(std::equal(events.begin(), events.end(), sample.events.begin())) << place;
      const bool unused = place >= 8 && place < ftr::kFileHeader;  // the version and its padding
      const bool found = !trace.error.empty() || !trace.notes.empty();
      EXPECT_TRUE(found || unused) << place;
      if (!found) {
        EXPECT_EQ(events, sample.events) << place;
      }
    }
  }
}

}  // namespace
}  // namespace foretrace::testing
