#include "recording/recording_file.h"

#include <cstring>

#include <gtest/gtest.h>

#include "recording/record_merger.h"

namespace foretrace {
namespace {

using recording::Kind;
using recording::Record;

Record stamped(Kind kind, uint64_t address, uint32_t stamp) {
  Record record = Record::make(kind, address, 0, 0, stamp);
  record.head |= Record::kStamped;
  return record;
}

std::string label_bytes(const ftr::RecordsLabel& label) {
  return {reinterpret_cast<const char*>(&label), sizeof label};
}

// One process, one thread.
class File {
 public:
  File() {
    chunks_.write_file_header(ftr::kRecordingMajor, ftr::kMinor);
    std::string process;
    ftr::append(process, uint32_t{0});
    ftr::append(process, uint32_t{0});
    chunks_.write(ftr::kProcess, process);
  }

  void add_coded(const std::vector<Record>& records) {
    std::string payload = label_bytes({0, 0, records[0].upper()});
    RecordEncoder().add(records, payload);
    chunks_.write_labelled(ftr::kRecords, payload, sizeof(ftr::RecordsLabel));
  }
  // Without the last bytes.
  void add_plain(const std::vector<Record>& records, size_t missing = 0) {
    std::string payload = label_bytes({0, 0, records[0].upper()});
    payload.append(reinterpret_cast<const char*>(records.data()),
                   records.size() * sizeof(Record) - missing);
    chunks_.write_plain(ftr::kPlainRecords, payload);
  }
  void add_packed_as_plain(const std::vector<Record>& records) {
    const std::string payload = label_bytes({0, 0, records[0].upper()});
    chunks_.write_labelled(ftr::kPlainRecords, payload + std::string(1000, '\0'),
                           sizeof(ftr::RecordsLabel));
  }

  Result<std::unique_ptr<RecordingFile>> open() {
    std::string end;
    ftr::append(end, uint64_t{0});
    chunks_.write(ftr::kEnd, end);
    Result<std::unique_ptr<Spool>> spool = Spool::create();
    if (!spool) return tl::unexpected(spool.error());
    (*spool)->write(bytes_);
    Result<MappedBytes> bytes = (*spool)->map();
    if (!bytes) return tl::unexpected(bytes.error());
    return RecordingFile::open("test.ftr", std::move(*bytes));
  }

 private:
  std::string bytes_;
  const std::unique_ptr<ByteSink> sink_ = string_output(bytes_);
  ftr::ChunkWriter chunks_{*sink_};
};

std::vector<Record> records_of(const RecordingFile& file, std::string& error) {
  std::vector<Record> all;
  RecordMerger merger(file, file.processes().at(0), {});
  for (RecordMerger::Run run; merger.next(run);) {
    all.insert(all.end(), run.records.begin(), run.records.end());
  }
  error = merger.error();
  return all;
}

// As much as several reads of the merger.
std::vector<Record> many(uint32_t first_stamp) {
  std::vector<Record> records;
  for (uint32_t i = 0; i < 1000; ++i) {
    records.push_back(stamped(Kind::lock, 0x1000 + i, first_stamp + i));
    records.push_back(Record::make(Kind::read, 0x7f0000000000 + 8 * i, 8, 3, 0));
  }
  return records;
}

TEST(RecordingFile, PlainRecordsAndCodedOnesAreReadAlike) {
  const std::vector<Record> first = many(1);
  const std::vector<Record> second = many(1001);
  File file;
  file.add_plain(first);
  file.add_coded(second);
  const auto opened = file.open();
  ASSERT_TRUE(opened) << opened.error().message;
  std::string error;
  std::vector<Record> expected = first;
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(records_of(**opened, error), expected);
  EXPECT_EQ(error, "");
}

TEST(RecordingFile, AnIncompletePlainRecordIsDamage) {
  File file;
  file.add_plain(many(1), 5);
  const auto opened = file.open();
  ASSERT_TRUE(opened) << opened.error().message;
  std::string error;
  records_of(**opened, error);
  EXPECT_EQ(error, "test.ftr: records of thread 0 cannot be decoded");
}

TEST(RecordingFile, PlainRecordsAreNotPacked) {
  File file;
  file.add_packed_as_plain(many(1));
  const auto opened = file.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            "test.ftr: the chunk at byte 48 is damaged: its records are not plain");
}

}  // namespace
}  // namespace foretrace
