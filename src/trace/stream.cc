#include "trace/stream.h"

#include <span>

namespace foretrace {
namespace {

constexpr size_t kReadAhead = 4;  // batches

WellFormedOptions options_for(const TraceReader& reader, WellFormedOptions options) {
  options.unnested |= reader.is_unnested();
  return options;
}

}  // namespace

Result<std::unique_ptr<TraceStream>> TraceStream::open(const std::string& path,
                                                       const StreamOptions& options) {
  Result<std::unique_ptr<TraceReader>> reader = open_trace(path, options.input_format);
  if (!reader) return tl::unexpected(reader.error());
  return std::make_unique<TraceStream>(std::move(*reader), options);
}

CheckedReader::CheckedReader(std::unique_ptr<TraceReader> reader, const StreamOptions& options)
    : reader_(std::move(reader)),
      checker_(reader_->symbols(), reader_->source_name(),
               options_for(*reader_, options.well_formed)) {
  if (options.leave_out_ordered_accesses) reader_->leave_out_ordered_accesses();
  if (options.units != nullptr) units_.emplace(reader_->symbols(), *options.units);
}

Result<void> CheckedReader::read(EventBuffer& buffer) {
  Result<void> done = reader_->read(buffer);
  if (!done) return done;
  if (units_) units_->apply(buffer);
  return checker_.check(buffer);
}

TraceStream::TraceStream(std::unique_ptr<TraceReader> reader, const StreamOptions& options)
    : input_(std::move(reader), options), worker_([this] { read_ahead(); }) {}

TraceStream::~TraceStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void TraceStream::read_ahead() {
  for (bool more = true; more;) {
    EventBuffer buffer;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || ready_.size() < kReadAhead; });
      if (stopping_) return;
      if (!spare_.empty()) {
        buffer = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    const Result<void> done = input_.read(buffer);
    more = done && !buffer.events.empty();
    {
      const std::lock_guard lock(mutex_);
      if (done) {
        ready_.push_back(std::move(buffer));
      } else {
        ready_.push_back(tl::unexpected(done.error()));
      }
    }
    changed_.notify_all();
  }
}

Result<EventBatch> TraceStream::next() {
  std::unique_lock lock(mutex_);
  if (current_.events.capacity() > 0) spare_.push_back(std::move(current_));
  current_ = EventBuffer();
  changed_.wait(lock, [&] { return !ready_.empty(); });
  // The end and an error stay in the queue: asking again gives them again.
  if (!ready_.front()) return tl::unexpected(ready_.front().error());
  if (ready_.front()->events.empty()) return EventBatch{event_count_, {}, {}, true};
  current_ = std::move(*ready_.front());
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  event_count_ = current_.first_index + current_.events.size();
  return current_.batch();
}

std::vector<std::string> TraceStream::notes() const {
  std::vector<std::string> notes = input_.reader().notes();
  const std::vector<std::string> checked = input_.checker().notes();
  notes.insert(notes.end(), checked.begin(), checked.end());
  return notes;
}

void Trace::append(const EventBatch& batch) {
  const size_t first = events.size();
  events.insert(events.end(), batch.events.begin(), batch.events.end());
  if (batch.big_values.empty()) return;
  const auto shift = static_cast<int32_t>(big_values.size());
  for (Event& event : std::span(events).subspan(first)) {
    if (event.big_value != 0) event.value += shift;
  }
  big_values.insert(big_values.end(), batch.big_values.begin(), batch.big_values.end());
}

Result<Trace> load_trace(std::unique_ptr<TraceReader> reader, const StreamOptions& options) {
  Trace trace;
  CheckedReader input(std::move(reader), options);
  EventBuffer buffer;
  for (;;) {
    const Result<void> done = input.read(buffer);
    if (!done) return tl::unexpected(done.error());
    if (buffer.events.empty()) break;
    trace.append(buffer.batch());
  }
  trace.symbols = input.reader().shared_symbols();
  return trace;
}

}  // namespace foretrace
