#include "recording/recording_file.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {

using ftr::ChunkHeader;
using ftr::Codec;

Result<std::unique_ptr<RecordingFile>> RecordingFile::open(const std::string& name,
                                                           MappedBytes bytes,
                                                           const Horizons& horizons) {
  auto file = std::unique_ptr<RecordingFile>(new RecordingFile(name, std::move(bytes)));
  if (Result<void> done = file->read_chunks(); !done) return tl::unexpected(done.error());
  for (const auto& [number, names] : file->names_) file->groups_[number].add(names);
  for (const auto& [process, stamp] : horizons) file->processes_[process].horizon = stamp;
  return file;
}

uint64_t RecordingFile::Process::parts() const {
  uint64_t count = 0;
  for (const auto& [number, parts] : threads) count += parts.size();
  return count;
}

tl::unexpected<Error> RecordingFile::damaged(uint64_t offset, std::string_view what) const {
  return fail("{}: the chunk at byte {} is damaged: {}", name_, offset, what);
}

Result<void> RecordingFile::read_chunks() {
  if (bytes_.size() < ftr::kFileHeader || !bytes_.starts_with(ftr::kMagic) ||
      !ftr::is_recording(bytes_)) {
    return fail("{}: this is not a recording, or it ends inside its header", name_);
  }
  uint64_t offset = ftr::kFileHeader;
  while (!complete_ && bytes_.size() - offset >= ftr::kChunkHeader) {
    const ChunkHeader header = ftr::parse_chunk_header(bytes_.substr(offset));
    if (std::max(header.stored_size, header.raw_size) > ftr::kMaxChunk) {
      return damaged(offset, "its size is impossible");
    }
    if (bytes_.size() - offset - ftr::kChunkHeader < header.stored_size) break;
    if (header.tag != ftr::kPlainRecords &&
        ftr::checksum(bytes_.substr(offset, 16), stored(header, offset)) != header.checksum) {
      return damaged(offset, "its checksum does not fit");
    }
    if (Result<void> done = read_chunk(header, offset); !done) return done;
    offset += ftr::kChunkHeader + header.stored_size;
  }
  if (!complete_) {
    note_ = fmt::format(
        "{}: the recording is cut off: what came last is lost ({} of a chunk that "
        "was not written to its end)",
        name_, counted(bytes_.size() - offset, "byte"));
  } else if (offset < bytes_.size()) {
    note_ = fmt::format("{}: bytes after the end mark were left unread", name_);
  }
  return {};
}

Result<void> RecordingFile::read_chunk(const ChunkHeader& header, uint64_t offset) {
  if (static_cast<uint8_t>(header.codec) > static_cast<uint8_t>(Codec::labelled_zstd)) {
    return damaged(offset, "it is packed in a way that this Foretrace does not know");
  }
  if (header.tag != ftr::kRecords && header.tag != ftr::kPlainRecords) {
    return read_small_chunk(header, offset);
  }
  if (header.tag == ftr::kPlainRecords && header.codec != Codec::raw) {
    return damaged(offset, "its records are not plain");
  }
  if (header.stored_size < sizeof(ftr::RecordsLabel)) return damaged(offset, "it is too short");
  const auto label = ftr::load<ftr::RecordsLabel>(stored(header, offset));
  const auto process = processes_.find(label.process);
  if (process == processes_.end()) return damaged(offset, "its process is not known");
  process->second.threads[label.thread].push_back({label.first_stamp, offset});
  return {};
}

Result<void> RecordingFile::read_small_chunk(const ChunkHeader& header, uint64_t offset) {
  std::vector<char> payload;
  const std::string problem = unpacker_.unpack(header, stored(header, offset), 0, payload);
  if (!problem.empty()) return damaged(offset, problem);
  ftr::Cursor cursor(std::string_view(payload.data(), payload.size()));
  if (header.tag == ftr::kProcess) {
    const auto number = cursor.number<uint32_t>();
    processes_[number].names = cursor.number<uint32_t>();
  } else if (header.tag == ftr::kImageNames) {
    std::string& names = names_[cursor.number<uint32_t>()];
    names += cursor.take(payload.size() - std::min(payload.size(), sizeof(uint32_t)));
  } else if (header.tag == ftr::kEnd) {
    dropped_ = cursor.number<uint64_t>();
    if (!cursor.done()) unrecorded_threads_ = cursor.number<uint64_t>();
    complete_ = true;
  } else if ((header.tag & 0x20) == 0) {
    return fail(
        "{}: the chunk at byte {} is of a kind that this Foretrace does not know; "
        "update Foretrace",
        name_, offset);
  }
  if (!cursor.ok()) return damaged(offset, "it is too short");
  return {};
}

Result<std::unique_ptr<RecordSource>> RecordingFile::open_part(const Part& part, uint32_t names,
                                                               ftr::ChunkUnpacker& unpacker,
                                                               std::vector<char>& bytes) const {
  Result<std::unique_ptr<RecordSource>> source = open_grouped(part, unpacker, bytes);
  const auto groups = groups_.find(names);
  if (!source || groups == groups_.end() || groups->second.empty()) return source;
  return std::make_unique<UngroupedRecords>(std::move(*source), groups->second);
}

Result<std::unique_ptr<RecordSource>> RecordingFile::open_grouped(const Part& part,
                                                                  ftr::ChunkUnpacker& unpacker,
                                                                  std::vector<char>& bytes) const {
  const ChunkHeader header = ftr::parse_chunk_header(bytes_.substr(part.offset));
  const std::string_view chunk = stored(header, part.offset);
  if (header.tag == ftr::kPlainRecords) {
    return std::make_unique<PlainRecords>(chunk.substr(sizeof(ftr::RecordsLabel)));
  }
  std::string problem = unpacker.unpack(header, chunk, sizeof(ftr::RecordsLabel), bytes);
  if (problem.empty() && bytes.size() < sizeof(ftr::RecordsLabel)) problem = "it is too short";
  if (!problem.empty()) return damaged(part.offset, problem);
  const std::string_view coded(bytes.data(), bytes.size());
  return std::make_unique<RecordDecoder>(coded.substr(sizeof(ftr::RecordsLabel)));
}

}  // namespace foretrace
