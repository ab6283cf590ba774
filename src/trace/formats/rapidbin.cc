// RapidBin: the binary sibling of STD, a header and eight bytes an event. See
// docs/formats/rapidbin.md.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <string>

#include "base/table.h"
#include "base/text.h"
#include "trace/format.h"
#include "trace/interner.h"
#include "trace/reacquires.h"

namespace foretrace {
namespace {

constexpr size_t kHeaderSize = 18;
constexpr size_t kWordSize = 8;

// An event's word: from the low bit the thread, the operation, its operand and
// the line. The top bit is not used.
constexpr uint32_t kThreadBits = 10;
constexpr uint32_t kOpBits = 4;
constexpr uint32_t kOperandBits = 34;
constexpr uint32_t kLineBits = 15;
constexpr uint32_t kMaxThreadCount = 1U << kThreadBits;
constexpr uint32_t kMaxLine = (1U << kLineBits) - 1;

struct Word {
  uint32_t thread;
  uint32_t op;
  uint64_t operand;
  uint32_t line;
};

// The operations in the order of their codes; Op::skip for what is no event.
constexpr std::array<Op, 10> kOps = {Op::acq,  Op::rel,  Op::rd,   Op::wr,   Op::fork,
                                     Op::join, Op::skip, Op::skip, Op::skip, Op::skip};
constexpr uint32_t kRequest = 8;  // and the codes after it keep no index

template <typename T>
T load_big_endian(const char* from) {
  std::make_unsigned_t<T> value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<std::make_unsigned_t<T>>(value << 8 | static_cast<unsigned char>(from[i]));
  }
  return static_cast<T>(value);
}

template <typename T>
void append_big_endian(std::string& to, T value) {
  for (size_t i = sizeof(T); i-- > 0;) to += static_cast<char>(value >> (8 * i));
}

struct Header {
  int16_t threads;
  int32_t locks;
  int32_t locations;
  int64_t events;
};

Header load_header(std::string_view head) {
  const char* const bytes = head.data();
  return {load_big_endian<int16_t>(bytes), load_big_endian<int32_t>(bytes + 2),
          load_big_endian<int32_t>(bytes + 6), load_big_endian<int64_t>(bytes + 10)};
}

Word split_word(uint64_t word) {
  const auto take = [&](uint32_t bits) {
    const uint64_t part = word & ((uint64_t{1} << bits) - 1);
    word >>= bits;
    return part;
  };
  Word parts = {};
  parts.thread = static_cast<uint32_t>(take(kThreadBits));
  parts.op = static_cast<uint32_t>(take(kOpBits));
  parts.operand = take(kOperandBits);
  parts.line = static_cast<uint32_t>(take(kLineBits));
  return parts;
}

class RapidBinReader : public TraceReader {
 public:
  explicit RapidBinReader(ByteReader input)
      : TraceReader(std::move(input)), names_(mutable_symbols()) {}

  Result<void> read(EventBuffer& buffer) override {
    buffer.clear(next_index_);
    if (!started_) {
      if (const Result<void> done = read_header(); !done) return done;
    }
    while (buffer.events.size() < kBatchEvents && words_read_ < words_announced_) {
      const Result<bool> has_word = input().want(kWordSize);
      if (!has_word) return tl::unexpected(has_word.error());
      if (!*has_word) return cut_off();
      if (const Result<void> done = read_words(buffer); !done) return done;
    }
    if (words_read_ == words_announced_ && !finished_) {
      if (const Result<void> done = finish(); !done) return done;
    }
    next_index_ += buffer.events.size();
    return {};
  }

 private:
  Result<void> read_header() {
    started_ = true;
    const Result<bool> whole = input().want(kHeaderSize);
    if (!whole) return tl::unexpected(whole.error());
    if (!*whole) {
      return fail("{}: a RapidBin header has {} bytes, but the file only {}", source_name(),
                  kHeaderSize, input().window().size());
    }
    const Header header = load_header(input().window());
    if (header.threads < 0 || header.locks < 0 || header.locations < 0 || header.events < 0) {
      return fail(
          "{}: a count in the RapidBin header is negative (threads {}, locks {}, "
          "variables {}, events {}); this is not such a trace, or it is damaged",
          source_name(), header.threads, header.locks, header.locations, header.events);
    }
    words_announced_ = static_cast<uint64_t>(header.events);
    input().consume(kHeaderSize);
    return {};
  }

  // The whole words in the window.
  Result<void> read_words(EventBuffer& buffer) {
    const std::string_view window = input().window();
    const uint64_t here =
        std::min<uint64_t>(window.size() / kWordSize, words_announced_ - words_read_);
    size_t done = 0;
    while (done < here && buffer.events.size() < kBatchEvents) {
      const auto word = load_big_endian<uint64_t>(window.data() + done * kWordSize);
      if (const Result<void> read = read_word(word, buffer); !read) return read;
      ++done;
      ++words_read_;
    }
    input().consume(done * kWordSize);
    return {};
  }

  Result<void> read_word(uint64_t bits, EventBuffer& buffer) {
    const Word word = split_word(bits);
    if (bits >> 63 != 0) return damaged("has a bit set that RapidBin does not use");
    if (word.op >= kOps.size())
      return damaged(fmt::format("has the unknown operation {}", word.op));
    if (word.operand > UINT32_MAX) {
      return damaged(fmt::format("has the operand {}, which does not fit 32 bits", word.operand));
    }
    if (word.op >= kRequest) {
      ++(word.op == kRequest ? requests_ : branches_);
      return {};
    }
    const Op op = kOps[word.op];
    const ThreadId thread = intern(Space::thread, 'T', word.thread);
    uint32_t object = 0;
    switch (space_of(op)) {
      case Space::thread:
        object = intern(Space::thread, 'T', word.operand);
        break;
      case Space::location:
        object = intern(Space::location, 'V', word.operand);
        break;
      case Space::lock:
        object = intern(Space::lock, 'L', word.operand);
        break;
      default:
        ++marks_;
        break;
    }
    if (symbols().names(Space::thread).size() > kMaxThreads)
      return damaged("is one thread too many");
    buffer.events.push_back(make_event(thread, op, object, site_of(word.line)));
    return {};
  }

  uint32_t intern(Space space, char letter, uint64_t number) {
    Interner& interner = names_.space(space);
    const uint32_t known =
        interner.find(static_cast<unsigned char>(letter), static_cast<uint32_t>(number));
    return known != 0 ? known - 1 : interner.intern(fmt::format("{}{}", letter, number));
  }

  SiteId site_of(uint32_t line) {
    if (line == 0) return kNoSite;
    const SiteId known = names_.find_line(line);
    return known != kNoSite ? known : names_.intern_site(std::to_string(line));
  }

  // After the last announced word: nothing may follow.
  Result<void> finish() {
    finished_ = true;
    uint64_t extra = 0;
    for (;;) {
      extra += input().window().size();
      input().consume(input().window().size());
      const Result<bool> more = input().fill();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
    }
    if (extra > 0) {
      return fail("{}: the header announces {}, but there is room for {} ({} left over)",
                  source_name(), counted(words_announced_, "event"),
                  with_commas(words_announced_ + extra / kWordSize), counted(extra, "byte"));
    }
    if (requests_ + branches_ > 0) {
      add_note(
          fmt::format("{}: {} left out: attempts to acquire ({} req) and branches ({} branch) "
                      "are not events",
                      source_name(), counted(requests_ + branches_, "entry", "entries"),
                      with_commas(requests_), with_commas(branches_)));
    }
    if (marks_ > 0) {
      add_note(
          fmt::format("{}: {} of the begin or end of a thread's life kept as events without "
                      "meaning",
                      source_name(), counted(marks_, "mark")));
    }
    return {};
  }

  tl::unexpected<Error> cut_off() const {
    return fail("{}: the header announces {}, but only {} are there: the file is cut off",
                source_name(), counted(words_announced_, "event"), with_commas(words_read_));
  }

  tl::unexpected<Error> damaged(std::string_view what) const {
    return fail("{}: entry {} (at byte {}) {}; the file is damaged or not RapidBin", source_name(),
                words_read_, kHeaderSize + words_read_ * kWordSize, what);
  }

  TextSymbols names_;
  bool started_ = false;
  bool finished_ = false;
  uint64_t words_announced_ = 0;
  uint64_t words_read_ = 0;
  uint64_t next_index_ = 0;
  uint64_t requests_ = 0;
  uint64_t branches_ = 0;
  uint64_t marks_ = 0;
};

// The number of a name such as T3 (or 3, for a thread), V7 or L2.
std::optional<uint32_t> number_in(std::string_view name, char letter, bool letter_optional) {
  if (name.starts_with(letter)) {
    name.remove_prefix(1);
  } else if (!letter_optional) {
    return std::nullopt;
  }
  const std::optional<int64_t> number = parse_integer(name);
  if (!number || *number < 0 || *number >= INT32_MAX || std::to_string(*number) != name) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(*number);
}

// What the names of one namespace are in the file.
class Numbering {
 public:
  // The numbers in the names if all have one that is below `limit` and its own;
  // else the numbers that the trace has for them.
  Numbering(const NameTable& names, char letter, uint32_t limit) : numbers_(names.size()) {
    std::vector<uint32_t> seen;
    for (uint32_t id = 0; id < names.size(); ++id) {
      const std::optional<uint32_t> number = number_in(names[id], letter, letter == 'T');
      kept_ = kept_ && number && *number < limit;
      if (!kept_) break;
      seen.push_back(numbers_[id] = *number);
    }
    std::sort(seen.begin(), seen.end());
    kept_ = kept_ && std::adjacent_find(seen.begin(), seen.end()) == seen.end();
    count_ = kept_ && !seen.empty() ? seen.back() + 1 : names.size();
  }

  bool kept() const { return kept_; }
  uint32_t count() const { return count_; }  // one more than the largest number
  uint32_t operator[](uint32_t id) const { return kept_ ? numbers_[id] : id; }

 private:
  std::vector<uint32_t> numbers_;
  bool kept_ = true;
  uint32_t count_ = 0;
};

// The header has counts that are known only at the end, and whether the names'
// numbers can be kept is too: the events wait in memory, as words of eight
// bytes with the trace's numbers in them.
class RapidBinWriter : public TraceWriter {
 public:
  using TraceWriter::TraceWriter;

  Result<void> write(const EventBatch& batch) override {
    for (const Event& event : batch.events) {
      if (event.op() == Op::skip) continue;
      if (event.has_value != 0) lose(Loss::value);
      if (const std::optional<LockId> lock = reacquires_.before(event)) {
        put(event.thread, Op::acq, *lock, 0);
      }
      const Op op = event.op() == Op::wait ? Op::rel : event.op();
      if (std::find(kOps.begin(), kOps.end(), op) == kOps.end()) {
        lose(op);
      } else {
        put(event.thread, op, event.object, line_of(event.site));
      }
    }
    const uint32_t threads = symbols().names(Space::thread).size();
    if (threads > kMaxThreadCount) {
      return fail("RapidBin holds at most {} threads, but the trace has {}; choose another format",
                  with_commas(kMaxThreadCount), with_commas(threads));
    }
    return {};
  }

  Result<void> finish() override {
    lose(Loss::declaration, symbols().sets.size() + symbols().units.size());
    const Numbering threads = numbering(Space::thread, 'T', kMaxThreadCount);
    const Numbering locks = numbering(Space::lock, 'L', INT32_MAX);
    const Numbering locations = numbering(Space::location, 'V', INT32_MAX);
    std::string bytes;
    append_big_endian(bytes, static_cast<uint16_t>(threads.count()));
    append_big_endian(bytes, locks.count());
    append_big_endian(bytes, locations.count());
    append_big_endian(bytes, uint64_t{words_.size()});
    for (const uint64_t bits : words_) {
      Word word = split_word(bits);
      const Space space = space_of(kOps[word.op]);
      const Numbering& objects = space == Space::thread ? threads
                                 : space == Space::lock ? locks
                                                        : locations;
      word.operand = objects[static_cast<uint32_t>(word.operand)];
      word.thread = threads[word.thread];
      append_big_endian(bytes, joined(word));
      if (bytes.size() >= kFlushSize) flush(bytes);
    }
    flush(bytes);
    return {};
  }

 private:
  static constexpr size_t kFlushSize = size_t{1} << 16;

  static uint64_t joined(const Word& word) {
    uint64_t bits = word.line;
    bits = bits << kOperandBits | word.operand;
    bits = bits << kOpBits | word.op;
    return bits << kThreadBits | word.thread;
  }

  void put(ThreadId thread, Op op, uint32_t object, uint32_t line) {
    const auto code = std::find(kOps.begin(), kOps.end(), op) - kOps.begin();
    words_.push_back(
        joined({thread & (kMaxThreadCount - 1), static_cast<uint32_t>(code), object, line}));
  }

  // A site is a line here: what else it says is lost, once for each site.
  uint32_t line_of(SiteId id) {
    const Site& site = symbols().sites[id];
    const bool fits = site.line <= kMaxLine;
    if (auto&& seen = slot(site_seen_, id); !seen) {
      seen = true;
      if (!fits || site.file != 0 || site.column != 0) lose(Loss::site);
      if (site.function != 0) lose(Loss::function);
    }
    return fits ? site.line : 0;
  }

  Numbering numbering(Space space, char letter, uint32_t limit) {
    const Numbering numbers(symbols().names(space), letter, limit);
    if (!numbers.kept()) lose(Loss::name, symbols().names(space).size());
    return numbers;
  }

  void flush(std::string& bytes) {
    sink().write(bytes);
    bytes.clear();
  }

  std::deque<uint64_t> words_;
  Reacquires reacquires_;
  std::vector<bool> site_seen_;
};

Match match(std::string_view head, bool whole) {
  if (head.size() < kHeaderSize) return Match::no;
  const Header header = load_header(head);
  if (header.threads < 0 || header.threads > static_cast<int16_t>(kMaxThreadCount) ||
      header.locks < 0 || header.locations < 0 || header.events < 0) {
    return Match::no;
  }
  // A look at the first words is enough to tell them from noise.
  const size_t words = (head.size() - kHeaderSize) / kWordSize;
  bool threads_fit = header.threads > 0;
  for (size_t i = 0; i < std::min<size_t>(words, 256); ++i) {
    const auto bits = load_big_endian<uint64_t>(head.data() + kHeaderSize + i * kWordSize);
    const Word word = split_word(bits);
    if (word.op >= kOps.size() || bits >> 63 != 0) return Match::no;
    threads_fit = threads_fit && word.thread < static_cast<uint32_t>(header.threads);
  }
  const bool fits = head.size() == kHeaderSize + words * kWordSize &&
                    static_cast<uint64_t>(header.events) == words;
  if (whole && fits) return Match::certain;
  return threads_fit && words > 0 ? Match::possible : Match::no;
}

const FormatRegistration registration({
    .name = "rapidbin",
    .extension = ".data",
    .summary = "the binary sibling of std, eight bytes an event",
    .match = match,
    .reader = [](ByteReader input) -> std::unique_ptr<TraceReader> {
      return std::make_unique<RapidBinReader>(std::move(input));
    },
    .writer = [](ByteSink& sink, const Symbols& symbols) -> std::unique_ptr<TraceWriter> {
      return std::make_unique<RapidBinWriter>(sink, symbols);
    },
});

}  // namespace
}  // namespace foretrace
