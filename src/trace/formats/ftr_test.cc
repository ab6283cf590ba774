#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/trace_io.h"
#include "trace/formats/ftr_layout.h"

namespace foretrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string file_header(uint16_t major = ftr::kMajor, uint16_t minor = ftr::kMinor) {
  std::string bytes(ftr::kMagic);
  ftr::append(bytes, major);
  ftr::append(bytes, minor);
  ftr::append(bytes, uint32_t{0});
  return bytes;
}

// A chunk with a right checksum around any payload.
std::string chunk(uint32_t tag, std::string_view payload, uint32_t codec = 0) {
  std::string bytes;
  ftr::append(bytes, tag);
  ftr::append(bytes, codec);
  ftr::append(bytes, static_cast<uint32_t>(payload.size()));
  ftr::append(bytes, static_cast<uint32_t>(payload.size()));
  ftr::append(bytes, ftr::checksum(bytes, payload));
  return bytes + std::string(payload);
}

std::string names(Space space, std::initializer_list<std::string_view> list) {
  std::string payload;
  ftr::append(payload, static_cast<uint8_t>(space));
  ftr::append(payload, static_cast<uint32_t>(list.size()));
  for (const std::string_view name : list) {
    ftr::append_varint(payload, name.size());
    payload += name;
  }
  return chunk(ftr::kNames, payload);
}

// Events of one byte a number: head, thread, object.
std::string events(std::initializer_list<std::array<uint8_t, 3>> list, std::string_view rest = {}) {
  std::string payload;
  ftr::append(payload, static_cast<uint32_t>(list.size()));
  payload += std::string_view("\1\1\0", 3);
  for (size_t column = 0; column < 3; ++column) {
    for (const auto& event : list) payload += static_cast<char>(event[column]);
  }
  return chunk(ftr::kEvents, payload + std::string(rest));
}

std::string end_mark(uint64_t count) {
  std::string payload;
  ftr::append(payload, count);
  return chunk(ftr::kEnd, payload);
}

const uint8_t kWr = static_cast<uint8_t>(Op::wr);
const uint8_t kAcq = static_cast<uint8_t>(Op::acq);

std::string prologue() {
  return file_header() + names(Space::thread, {"1"}) + names(Space::location, {"x", "y"});
}

TEST(FtrReader, ReadsWhatThePageDescribes) {
  const RawTrace trace = read_raw(
      prologue() + events({{kWr, 0, 1}}) + names(Space::lock, {"l"}) +
      events({{kAcq, 0, 0}, {uint8_t{kWr | ftr::kHeadValue}, 0, 0}}, "\x09") + end_mark(3));
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace), ElementsAre("wr 1 y", "acq 1 l", "wr 1 x -5"));
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST(FtrReader, OldReadersSkipWhatTheyMay) {
  // A lower-case tag and a larger minor version are additions to skip.
  const std::string bytes = file_header(ftr::kMajor, 9) + chunk(ftr::tag("xtra"), "new") +
                            names(Space::thread, {"1"}) + names(Space::location, {"x"}) +
                            events({{kWr, 0, 0}}) + end_mark(1);
  EXPECT_THAT(event_texts(read_raw(bytes)), ElementsAre("wr 1 x"));
  EXPECT_THAT(read_raw(prologue() + chunk(ftr::tag("Xtra"), "new")).error,
              HasSubstr("of a kind that this Foretrace does not know; update Foretrace"));
  EXPECT_THAT(read_raw(file_header(ftr::kRecordingMajor + 1, 0)).error,
              HasSubstr(fmt::format("format version {} is newer", ftr::kRecordingMajor + 1)));
  EXPECT_THAT(read_raw(prologue() + chunk(ftr::kNames, "", 7)).error,
              HasSubstr("packed in a way that this Foretrace does not know"));
}

TEST(FtrReader, FindsDamage) {
  const auto error_of = [](const std::string& chunks) {
    return read_raw(prologue() + chunks).error;
  };
  const std::string damaged =
      fmt::format("trace: the chunk at byte {} is damaged: ", prologue().size());
  EXPECT_THAT(error_of(events({{kWr, 0, 2}})), StartsWith(damaged + "an event names something"));
  EXPECT_THAT(error_of(events({{kWr, 1, 0}})), HasSubstr("an event names something"));
  EXPECT_THAT(error_of(events({{kAcq, 0, 0}})), HasSubstr("an event names something"));
  EXPECT_THAT(error_of(events({{0, 0, 0}})), HasSubstr("an event names something"));
  EXPECT_THAT(error_of(events({{31, 0, 0}})), HasSubstr("an event names something"));
  EXPECT_THAT(error_of(events({{0x42, 0, 0}})), HasSubstr("an event names something"));
  EXPECT_THAT(error_of(events({{0x22, 0, 0}})), HasSubstr("its values are missing"));
  EXPECT_THAT(error_of(events({{0x22, 0, 0}}, "\x80")), HasSubstr("its values do not fit"));
  EXPECT_THAT(error_of(events({{kWr, 0, 0}}, "x")), HasSubstr("its values do not fit"));
  EXPECT_THAT(error_of(names(Space::lock, {"l"}) + events({{kAcq | 0x20, 0, 0}}, "\2")),
              HasSubstr("an event has a value that cannot have one"));
  EXPECT_THAT(error_of(chunk(ftr::kEvents, "\x05\0\0\0\1\1\0ab")),
              HasSubstr("its columns end outside it"));
  EXPECT_THAT(error_of(chunk(ftr::kEvents, std::string_view("\1\0\0\0\5\1\0abcdefgh", 15))),
              HasSubstr("a number has more than four bytes"));
  EXPECT_THAT(error_of(chunk(ftr::kNames, std::string_view("\1\1\0\0\0\5ab", 8))),
              HasSubstr("a name ends outside it"));
  EXPECT_THAT(error_of(chunk(ftr::kNames, std::string_view("\x63\0\0\0\0", 5))),
              HasSubstr("names of an unknown kind"));
  EXPECT_THAT(error_of(chunk(ftr::kSites, std::string_view("\1\0\0\0", 4))),
              HasSubstr("a site names a file or function that is not there"));
  EXPECT_THAT(error_of(chunk(ftr::kSites, std::string_view("\0\1", 2))),
              HasSubstr("a site ends outside it"));
  EXPECT_THAT(error_of(chunk(ftr::kDeclarations, std::string_view("\0\1s\5", 4))),
              HasSubstr("a directive ends outside it"));
  EXPECT_THAT(error_of(chunk(ftr::kDeclarations, std::string_view("\2\1s\0", 4))),
              HasSubstr("a directive of an unknown kind"));
  EXPECT_THAT(error_of(chunk(ftr::kEvents, "not zstd", 1)), HasSubstr("it cannot be unpacked"));
  EXPECT_THAT(error_of(events({{kWr, 0, 0}}) + end_mark(2)),
              HasSubstr("the end mark counts 2 events, but 1 were read"));
}

TEST(FtrReader, FindsAChangedByte) {
  std::string bytes = prologue() + events({{kWr, 0, 0}}) + end_mark(1);
  bytes[prologue().size() - 1] ^= 1;
  EXPECT_THAT(read_raw(bytes).error, HasSubstr("its checksum does not fit"));
  bytes = prologue() + events({{kWr, 0, 0}}) + end_mark(1);
  bytes[ftr::kFileHeader + 8 + 3] = '\x7F';  // a size far beyond the file and the limit
  EXPECT_THAT(read_raw(bytes).error, HasSubstr("its size is impossible"));
}

TEST(FtrReader, SaysWhatIsMissingAtTheEnd) {
  const std::string bytes = prologue() + events({{kWr, 0, 0}});
  const RawTrace no_end = read_raw(bytes);
  EXPECT_EQ(no_end.error, "");
  EXPECT_EQ(no_end.events.size(), 1U);
  EXPECT_THAT(no_end.notes, ElementsAre("trace: the trace is cut off: 1 event could be read; the "
                                        "end mark is missing, so what came after is lost"));
  const RawTrace half = read_raw(bytes + events({{kWr, 0, 0}}).substr(0, 30));
  EXPECT_EQ(half.events.size(), 1U);
  EXPECT_THAT(half.notes, ElementsAre("trace: the trace is cut off: 1 event could be read; the "
                                      "last 30 bytes are part of a chunk that was not written to "
                                      "its end"));
  EXPECT_THAT(read_raw(bytes + end_mark(1) + "more").notes,
              ElementsAre("trace: bytes after the end mark were left unread"));
  EXPECT_THAT(read_raw(file_header().substr(0, 10)).error, HasSubstr("ends inside its header"));
}

TEST(FtrWriter, IsAStreamThatCanBeReadWhileItGrows) {
  const Result<Trace> trace = read_trace("wr 1 x 5 @ a.c:3\nwr 2 y\n", "tiddle");
  std::string bytes;
  const std::unique_ptr<ByteSink> sink = string_output(bytes);
  const std::unique_ptr<TraceWriter> writer =
      format_named("ftr").value()->writer(*sink, *trace->symbols);
  ASSERT_TRUE(writer->write(trace->batch()));
  EXPECT_EQ(bytes.size(), ftr::kFileHeader);  // events wait for a whole chunk
  std::vector<Event> many(kBatchEvents, trace->events[1]);
  ASSERT_TRUE(writer->write({2, many, {}}));
  const RawTrace so_far = read_raw(bytes);
  EXPECT_EQ(so_far.events.size(), kBatchEvents);
  EXPECT_EQ(so_far.notes.size(), 1U);
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(read_raw(bytes).events.size(), kBatchEvents + 2);
  EXPECT_THAT(read_raw(bytes).notes, IsEmpty());
}

TEST(FtrWriter, CarriesFunctionsAndNamesOfAnyKind) {
  Symbols symbols;
  symbols.names(Space::thread).append(std::string_view("a\0b\n", 4));
  symbols.names(Space::location).append("");
  symbols.files.append("a b.c");
  symbols.functions.append("main");
  symbols.sites.push_back({1, 4000000000U, 7, 1});
  const std::vector<Event> list = {make_event(0, Op::wr, 0, 1)};
  const WrittenTrace written = write_trace({0, list, {}}, symbols, "ftr");
  EXPECT_THAT(written.losses, IsEmpty());
  EXPECT_THAT(event_texts(read_raw(written.bytes)),
              ElementsAre(std::string("wr a\0b\n  @ a b.c:4000000000:7 main()", 36)));
}

TEST(FtrWriter, AnEmptyTraceIsAFileToo) {
  const WrittenTrace written = write_trace({}, Symbols(), "ftr");
  const RawTrace trace = read_raw(written.bytes);
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(trace.events, IsEmpty());
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST(FtrWriter, CarriesSitesOfAcquiresThatGiveUp) {
  Symbols symbols;
  symbols.names(Space::thread).append("1");
  symbols.names(Space::lock).append("l");
  symbols.files.append("a.c");
  symbols.sites.push_back({1, 3, 0, 0});
  symbols.sites.push_back({1, 3, 0, 0});
  symbols.impatient_sites.push_back(2);
  const std::vector<Event> list = {make_event(0, Op::acq, 0, 1), make_event(0, Op::rel, 0, 0),
                                   make_event(0, Op::acq, 0, 2)};
  const RawTrace trace = read_raw(write_trace({0, list, {}}, symbols, "ftr").bytes);
  EXPECT_EQ(trace.error, "");
  ASSERT_EQ(trace.symbols->impatient_sites.size(), 1U);
  EXPECT_EQ(trace.symbols->impatient_sites[0], 2U);
  EXPECT_EQ(trace.events[2].site, 2U);
}

TEST(FtrReader, AnAcquireThatGivesUpNeedsASite) {
  std::string payload;
  ftr::append_varint(payload, 9);
  EXPECT_THAT(read_raw(prologue() + chunk(ftr::kImpatientSites, payload)).error,
              HasSubstr("is damaged"));
}

}  // namespace
}  // namespace foretrace::testing
