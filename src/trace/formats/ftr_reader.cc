#include "trace/formats/ftr_reader.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

using ftr::Codec;
using ftr::Cursor;
using ftr::load;

// Puts `planes` byte planes of `count` bytes each together to numbers: plane k
// holds bits 8k to 8k+7.
void join_planes(std::string_view data, size_t planes, size_t count, uint32_t* out) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(data.data());
  switch (planes) {
    case 0:
      std::fill(out, out + count, 0U);
      break;
    case 1:
      for (size_t i = 0; i < count; ++i) out[i] = bytes[i];
      break;
    case 2:
      for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<uint32_t>(bytes[i] | bytes[count + i] << 8);
      }
      break;
    case 3:
      for (size_t i = 0; i < count; ++i) {
        out[i] =
            static_cast<uint32_t>(bytes[i] | bytes[count + i] << 8 | bytes[2 * count + i] << 16);
      }
      break;
    default:
      for (size_t i = 0; i < count; ++i) {
        out[i] = bytes[i] | uint32_t{bytes[count + i]} << 8 | uint32_t{bytes[2 * count + i]} << 16 |
                 uint32_t{bytes[3 * count + i]} << 24;
      }
  }
}

}  // namespace

tl::unexpected<Error> FtrReader::damaged(std::string_view what) const {
  return fail("{}: the chunk at byte {} is damaged: {}", source_name(), chunk_offset_, what);
}

void FtrReader::note_cut_off() {
  const size_t lost = input().window().size();
  add_note(fmt::format(
      "{}: the trace is cut off: {} could be read; {}", source_name(),
      counted(next_index_, "event"),
      lost == 0 ? "the end mark is missing, so what came after is lost"
                : fmt::format("the last {} are part of a chunk that was not written to its end",
                              counted(lost, "byte"))));
}

Result<void> FtrReader::read_file_header() {
  started_ = true;
  const Result<bool> whole = input().want(ftr::kFileHeader);
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) {
    return fail("{}: the file ends inside its header after {}; nothing can be read from it",
                source_name(), counted(input().window().size(), "byte"));
  }
  if (!input().window().starts_with(ftr::kMagic)) {
    return fail("{}: this is not an .ftr trace, or its line ends were changed in a transfer",
                source_name());
  }
  const auto major = load<uint16_t>(input().window().substr(8));
  if (major > ftr::kMajor) {
    return fail("{}: format version {} is newer than this Foretrace reads ({}); update Foretrace",
                source_name(), major, ftr::kRecordingMajor);
  }
  input().consume(ftr::kFileHeader);
  return {};
}

Result<bool> FtrReader::next_chunk() {
  chunk_offset_ = input().offset();
  Result<bool> has_header = input().want(ftr::kChunkHeader);
  if (!has_header || !*has_header) return has_header;
  header_ = ftr::parse_chunk_header(input().window());
  if (std::max(header_.stored_size, header_.raw_size) > ftr::kMaxChunk) {
    return damaged("its size is impossible");
  }
  Result<bool> has_payload = input().want(ftr::kChunkHeader + header_.stored_size);
  if (!has_payload || !*has_payload) return has_payload;

  const std::string_view window = input().window();
  const std::string_view stored = window.substr(ftr::kChunkHeader, header_.stored_size);
  if (ftr::checksum(window.substr(0, 16), stored) != header_.checksum) {
    return damaged("its checksum does not fit");
  }
  if (const Result<void> done = unpack(stored); !done) return tl::unexpected(done.error());
  input().consume(ftr::kChunkHeader + header_.stored_size);
  return true;
}

Result<void> FtrReader::unpack(std::string_view stored) {
  if (header_.codec != Codec::raw && header_.codec != Codec::zstd) {
    return fail("{}: the chunk at byte {} is packed in a way that this Foretrace does not know",
                source_name(), chunk_offset_);
  }
  // The window's bytes move when more input is read, so raw payloads are copied
  // (they are small or rare: the writer packs events).
  const std::string problem = unpacker_.unpack(header_, stored, 0, unpacked_);
  if (!problem.empty()) return damaged(problem);
  payload_ = {unpacked_.data(), unpacked_.size()};
  return {};
}

Result<void> FtrReader::read(EventBuffer& buffer) {
  buffer.clear(next_index_);
  if (!started_) {
    if (const Result<void> done = read_file_header(); !done) return done;
  }
  while (buffer.events.empty() && !ended_) {
    const Result<bool> chunk = next_chunk();
    if (!chunk) return tl::unexpected(chunk.error());
    if (!*chunk) {
      note_cut_off();
      ended_ = true;
      break;
    }
    Result<void> done;
    switch (header_.tag) {
      case ftr::kNames:
        done = read_names();
        break;
      case ftr::kSites:
        done = read_sites();
        break;
      case ftr::kImpatientSites:
        done = read_impatient_sites();
        break;
      case ftr::kDeclarations:
        done = read_declarations();
        break;
      case ftr::kEvents:
        done = read_events(buffer);
        break;
      case ftr::kEnd:
        done = read_end();
        break;
      default:
        if ((header_.tag & 0x20) == 0) {
          return fail(
              "{}: the chunk at byte {} is of a kind that this Foretrace does not know; "
              "update Foretrace",
              source_name(), chunk_offset_);
        }
    }
    if (!done) return done;
  }
  next_index_ += buffer.events.size();
  return {};
}

Result<void> FtrReader::read_names() {
  Cursor cursor(payload_);
  while (cursor.ok() && !cursor.done()) {
    const auto list = cursor.number<uint8_t>();
    const auto count = cursor.number<uint32_t>();
    NameTable* table = nullptr;
    if (list > 0 && list < kSpaceCount) table = &mutable_symbols().names(static_cast<Space>(list));
    if (list == ftr::kFileNames) table = &mutable_symbols().files;
    if (list == ftr::kFunctionNames) table = &mutable_symbols().functions;
    if (table == nullptr) return damaged("it has names of an unknown kind");
    for (uint32_t i = 0; i < count && cursor.ok(); ++i) table->append(cursor.string());
  }
  if (!cursor.ok()) return damaged("a name ends outside it");
  if (symbols().names(Space::thread).size() > kMaxThreads) return damaged("too many threads");
  return {};
}

Result<void> FtrReader::read_sites() {
  Cursor cursor(payload_);
  while (cursor.ok() && !cursor.done()) {
    Site site;
    site.file = cursor.varint32();
    site.line = cursor.varint32();
    site.column = cursor.varint32();
    site.function = cursor.varint32();
    if (site.file > symbols().files.size() || site.function > symbols().functions.size()) {
      return damaged("a site names a file or function that is not there");
    }
    mutable_symbols().sites.push_back(site);
  }
  if (!cursor.ok()) return damaged("a site ends outside it");
  return {};
}

Result<void> FtrReader::read_impatient_sites() {
  Cursor cursor(payload_);
  while (cursor.ok() && !cursor.done()) {
    const SiteId site = cursor.varint32();
    if (site >= symbols().sites.size()) return damaged("it names a site that is not there");
    mutable_symbols().impatient_sites.push_back(site);
  }
  if (!cursor.ok()) return damaged("a site's number ends outside it");
  return {};
}

Result<void> FtrReader::read_declarations() {
  Cursor cursor(payload_);
  while (cursor.ok() && !cursor.done()) {
    const auto kind = cursor.number<uint8_t>();
    std::string name(cursor.string());
    std::vector<std::string> members;
    for (uint64_t left = cursor.varint(); left > 0 && cursor.ok(); --left) {
      members.emplace_back(cursor.string());
    }
    if (kind > 1) return damaged("it has a directive of an unknown kind");
    if (kind == 0) {
      mutable_symbols().sets.push_back({std::move(name), std::move(members)});
    } else {
      mutable_symbols().units.push_back({std::move(name), std::move(members)});
    }
  }
  if (!cursor.ok()) return damaged("a directive ends outside it");
  return {};
}

Result<void> FtrReader::read_end() {
  Cursor cursor(payload_);
  const auto total = cursor.number<uint64_t>();
  if (!cursor.ok() || total != next_index_) {
    return fail("{}: the end mark counts {}, but {} were read: part of the file is missing",
                source_name(), counted(total, "event"), with_commas(next_index_));
  }
  ended_ = true;
  const Result<bool> more = input().want(1);
  if (!more) return tl::unexpected(more.error());
  if (*more) add_note(fmt::format("{}: bytes after the end mark were left unread", source_name()));
  return {};
}

Result<void> FtrReader::read_events(EventBuffer& buffer) {
  Cursor cursor(payload_);
  const auto count = cursor.number<uint32_t>();
  size_t planes[3];
  for (size_t& number : planes) number = cursor.number<uint8_t>();
  const std::string_view heads = cursor.take(count);
  for (size_t k = 0; k < 3; ++k) {
    if (planes[k] > 4) return damaged("a number has more than four bytes");
    const std::string_view bytes = cursor.take(planes[k] * count);
    if (!cursor.ok()) return damaged("its columns end outside it");
    column_[k].resize(count);
    join_planes(bytes, planes[k], count, column_[k].data());
  }

  // Every number must be within its table: the columns are read from a file.
  uint32_t limit[32] = {};
  for (size_t op = 1; op < kOpCount; ++op) {
    limit[op] = symbols().names(space_of(static_cast<Op>(op))).size();
  }
  const uint32_t* const threads = column_[0].data();
  const uint32_t* const objects = column_[1].data();
  const uint32_t* const sites = column_[2].data();
  uint32_t max_thread = 0;
  uint32_t max_site = 0;
  uint32_t bad = 0;
  buffer.events.resize(count);
  Event* const events = buffer.events.data();
  for (size_t i = 0; i < count; ++i) {
    const auto head = static_cast<unsigned char>(heads[i]);
    bad |= static_cast<uint32_t>(objects[i] >= limit[head & ftr::kHeadOp]) | (head >> 6);
    max_thread = std::max(max_thread, threads[i]);
    max_site = std::max(max_site, sites[i]);
    events[i] = make_event(threads[i] & kMaxThreads, static_cast<Op>(head & ftr::kHeadOp),
                           objects[i], sites[i], (head & ftr::kHeadValue) != 0);
  }
  if (count > 0 && (bad != 0 || max_thread >= symbols().names(Space::thread).size() ||
                    max_site >= symbols().sites.size())) {
    buffer.events.clear();
    return damaged("an event names something that is not there");
  }
  if (!cursor.done()) {
    for (Event& event : buffer.events) {
      if (event.has_value == 0) continue;
      if (space_of(event.op()) != Space::location) {
        return damaged("an event has a value that cannot have one");
      }
      buffer.set_value(event, ftr::unzigzag(cursor.varint()));
    }
    if (!cursor.ok() || !cursor.done()) return damaged("its values do not fit its events");
  } else if (std::any_of(heads.begin(), heads.end(),
                         [](char head) { return (head & ftr::kHeadValue) != 0; })) {
    return damaged("its values are missing");
  }
  return {};
}

}  // namespace foretrace
