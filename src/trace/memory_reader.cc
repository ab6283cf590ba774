#include "trace/memory_reader.h"

namespace foretrace {
namespace {

class MemoryReader : public TraceReader {
 public:
  MemoryReader(ByteReader input, const Trace& trace)
      : TraceReader(std::move(input), trace.symbols), trace_(trace) {}

  // All of it is one batch.
  Result<void> read(EventBuffer& buffer) override {
    buffer.clear(done_ ? trace_.events.size() : 0);
    if (done_) return {};
    done_ = true;
    buffer.events = trace_.events;
    buffer.big_values = trace_.big_values;
    for (Event& event : buffer.events) event.resumes = 0;  // WellFormed sets it
    return {};
  }

 private:
  const Trace& trace_;
  bool done_ = false;
};

}  // namespace

Result<std::unique_ptr<TraceReader>> read_from_memory(const std::string& name, const Trace& trace) {
  Result<std::unique_ptr<ByteSource>> nothing = memory_input(name, "");
  if (!nothing) return tl::unexpected(nothing.error());
  return std::make_unique<MemoryReader>(ByteReader(std::move(*nothing)), trace);
}

}  // namespace foretrace
