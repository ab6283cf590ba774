// A trace in the format of Chrome's tracing, which Perfetto's UI opens. Time is the
// index of events, as microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/output.h"
#include "trace/batch.h"
#include "trace/symbols.h"

namespace foretrace {

// Critical sections, waits and units are slices, accesses short ones; arrows go
// from a fork to its thread, from a thread to its join, and from a release to the
// acquire by another thread. Memory depends on threads and locks only.
class ChromeWriter {
 public:
  ChromeWriter(ByteSink& sink, const Symbols& symbols) : sink_(sink), symbols_(symbols) {}

  void begin();
  // The batches of a well-formed trace (see WellFormed), in order.
  void process(const EventBatch& batch);
  // What is still open ends here.
  void end();

 private:
  static constexpr uint64_t kNever = UINT64_MAX;
  struct Open {  // a section, unit or wait that has begun
    Op op;
    uint32_t object;
    SiteId site;
    uint64_t since;
  };
  struct Thread {
    bool named = false;
    uint64_t last = kNever;  // its last event
    std::vector<Open> open;
  };
  struct Release {
    ThreadId thread = 0;
    uint64_t index = kNever;
  };

  void process(const Event& event, uint64_t index, const EventBatch& batch);
  void resume(ThreadId id, uint64_t index);
  static bool is_open(const Thread& own, const Event& event);
  void close(ThreadId id, Op op, uint32_t object, uint64_t index);
  void slice(ThreadId id, const Open& open, uint64_t end, bool ends);
  void arrow(std::string_view name, ThreadId from, uint64_t start, ThreadId to, uint64_t end);
  void write(const nlohmann::ordered_json& json);
  Thread& thread(ThreadId id);
  std::string site_words(SiteId site) const;

  ByteSink& sink_;
  const Symbols& symbols_;
  std::vector<Thread> threads_;
  std::vector<Release> releases_;  // by lock
  std::vector<Release> forks_;     // by the thread that was forked
  uint64_t end_ = 0;
  uint64_t arrows_ = 0;
  bool first_ = true;
};

}  // namespace foretrace
