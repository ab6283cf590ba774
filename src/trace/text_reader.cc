#include "trace/text_reader.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

// No line of a trace is this long; a file with one is not a trace, and must not
// be read into memory whole to find that out.
constexpr size_t kMaxLine = size_t{1} << 20;

}  // namespace

Result<void> TextTraceReader::read(EventBuffer& buffer) {
  buffer.clear(next_index_);
  buffer_ = &buffer;
  while (!batch_is_full() && !at_end_) {
    take_plain_lines();
    if (batch_is_full()) break;
    if (const Result<void> done = take_line(); !done) return done;
  }
  if (at_end_ && !finished_) {
    finished_ = true;
    at_end();
  }
  next_index_ += buffer.events.size();
  return {};
}

void TextTraceReader::take_plain_lines() {
  if (input().offset() >= whole_lines_end_) {
    const size_t last_end = input().window().rfind('\n');
    if (last_end == std::string_view::npos) return;
    whole_lines_end_ = input().offset() + last_end + 1;
  }
  const uint64_t size = whole_lines_end_ - input().offset();
  input().consume(plain_lines(input().window().substr(0, size)));
}

Result<void> TextTraceReader::take_line() {
  size_t end = input().window().find('\n');
  while (end == std::string_view::npos && input().window().size() <= kMaxLine) {
    const size_t searched = input().window().size();
    const Result<bool> more = input().fill();
    if (!more) return tl::unexpected(more.error());
    if (!*more) {
      at_end_ = true;
      break;
    }
    end = input().window().find('\n', searched);
  }
  std::string_view text = input().window().substr(0, end);
  if (text.size() > kMaxLine) {
    return fail("{}:{}: this line is longer than {} characters; this is not a trace",
                input().name(), line_number_, with_commas(kMaxLine));
  }
  const size_t used = std::min(text.size() + 1, input().window().size());
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  if (const Result<void> done = line(text); !done) {
    return fail("{}:{}: {}", input().name(), line_number_, done.error().message);
  }
  input().consume(used);
  next_line();
  return {};
}

Result<ThreadId> TextTraceReader::thread_named(std::string_view name) {
  const ThreadId thread = text_symbols_.intern(Space::thread, name);
  if (thread >= kMaxThreads) {
    return fail("more than {} threads; Foretrace cannot tell more apart", with_commas(kMaxThreads));
  }
  return thread;
}

}  // namespace foretrace
