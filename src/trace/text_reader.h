// What the readers of line-based formats share.
#pragma once

#include <string_view>

#include "trace/format.h"
#include "trace/interner.h"

namespace foretrace {

// Hands over the input line by line. A subclass implements line().
class TextTraceReader : public TraceReader {
 public:
  explicit TextTraceReader(ByteReader input)
      : TraceReader(std::move(input)), text_symbols_(mutable_symbols()) {}

  Result<void> read(EventBuffer& buffer) final;

 protected:
  // Parses one line, without its end; it may append events through add().
  // Returns an error's text without the position, or nothing.
  virtual Result<void> line(std::string_view text) = 0;
  // For formats that are read in bulk: parses lines at the front of `text`,
  // which ends with a line's end, calling next_line() after each, until
  // batch_is_full() or it meets a line that only line() can deal with. Returns
  // the number of bytes it used.
  virtual size_t plain_lines(std::string_view) { return 0; }
  // Called once, after the last line.
  virtual void at_end() {}

  TextSymbols& names() { return text_symbols_; }

  // The new event; valid until the next call.
  Event& add(ThreadId thread, Op op, uint32_t object, SiteId site = kNoSite) {
    return add_from(line_number_, thread, op, object, site);
  }
  // The same for an event that an earlier line told of.
  Event& add_from(uint64_t line_number, ThreadId thread, Op op, uint32_t object, SiteId site) {
    buffer_->events.push_back(make_event(thread, op, object, site));
    buffer_->lines.push_back(line_number);
    return buffer_->events.back();
  }
  uint64_t line_number() const { return line_number_; }
  void next_line() { ++line_number_; }
  bool batch_is_full() const { return buffer_->events.size() >= kBatchEvents; }
  void set_value(Event& event, int64_t value) { buffer_->set_value(event, value); }

  // The number of `name` as a thread; an error when there are too many threads.
  Result<ThreadId> thread_named(std::string_view name);

 private:
  void take_plain_lines();
  Result<void> take_line();

  TextSymbols text_symbols_;
  EventBuffer* buffer_ = nullptr;
  uint64_t line_number_ = 1;      // of the line being parsed
  uint64_t whole_lines_end_ = 0;  // offset; all lines of the window before it are whole
  uint64_t next_index_ = 0;
  bool at_end_ = false;    // the last line was read
  bool finished_ = false;  // and at_end() was called
};

}  // namespace foretrace
