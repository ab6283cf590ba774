#include "report/chrome.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "findings/finding_json.h"
#include "report/excerpt.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestName = 200;
constexpr double kInstant = 0.8;  // how long an event is that takes no time

std::string_view what_opens(Op op) {
  if (op == Op::beg) return "unit";
  if (op == Op::wait) return "wait";
  if (op == Op::barrier) return "barrier";
  return op == Op::racq ? "lock (for reading)" : "lock";
}

}  // namespace

void ChromeWriter::begin() { sink_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["); }

void ChromeWriter::process(const EventBatch& batch) {
  for (size_t i = 0; i < batch.events.size(); ++i) {
    const Event& event = batch.events[i];
    if (event.op() != Op::skip) process(event, batch.first_index + i, batch);
  }
  end_ = batch.first_index + batch.events.size();
}

void ChromeWriter::end() {
  for (ThreadId id = 0; id < threads_.size(); ++id) {
    while (!threads_[id].open.empty()) {
      slice(id, threads_[id].open.back(), end_, false);
      threads_[id].open.pop_back();
    }
  }
  sink_.write("\n]}\n");
}

void ChromeWriter::process(const Event& event, uint64_t index, const EventBatch& batch) {
  resume(event.thread, index);
  Json args = {{"event", index}};
  if (const std::string where = site_words(event.site); !where.empty()) args["site"] = where;
  if (const auto value = batch.value_of(event)) args["value"] = *value;
  write({{"ph", "X"},
         {"name", printable(event_text(symbols_, event), kLongestName)},
         {"cat", std::string(name_of(event.op()))},
         {"pid", 1},
         {"tid", event.thread + 1},
         {"ts", index},
         {"dur", kInstant},
         {"args", std::move(args)}});
  Thread& own = thread(event.thread);
  own.last = index;
  const auto release_of = [](std::vector<Release>& list, uint32_t place) -> Release& {
    if (place >= list.size()) list.resize(place + 1);
    return list[place];
  };
  switch (event.op()) {
    case Op::acq:
    case Op::racq: {
      const Release& before = release_of(releases_, event.object);
      if (before.index != kNever && before.thread != event.thread) {
        arrow("handed on", before.thread, before.index, event.thread, index);
      }
      if (!is_open(own, event)) {
        own.open.push_back({event.op(), event.object, event.site, index});
      }
      break;
    }
    case Op::beg:
    case Op::barrier:
      own.open.push_back({event.op(), event.object, event.site, index});
      break;
    case Op::rel:
      close(event.thread, Op::acq, event.object, index);
      release_of(releases_, event.object) = {event.thread, index};
      break;
    case Op::wait:  // inside its section, which goes on: slices must nest
      own.open.push_back({event.op(), event.object, event.site, index});
      release_of(releases_, event.object) = {event.thread, index};
      break;
    case Op::rrel:
      close(event.thread, Op::racq, event.object, index);
      release_of(releases_, event.object) = {event.thread, index};
      break;
    case Op::end:
      close(event.thread, Op::beg, event.object, index);
      break;
    case Op::fork:
      release_of(forks_, event.object) = {event.thread, index};
      break;
    case Op::join:
      if (const uint64_t last = thread(event.object).last; last != kNever) {
        arrow("join", event.object, last, event.thread, index);
      }
      break;
    default:
      break;
  }
}

// The thread's first event has an arrow from its fork; an event after a wait or a
// barrier ends it.
void ChromeWriter::resume(ThreadId id, uint64_t index) {
  Thread& own = thread(id);
  if (own.last == kNever && id < forks_.size() && forks_[id].index != kNever) {
    arrow("fork", forks_[id].thread, forks_[id].index, id, index);
  }
  if (own.open.empty()) return;
  const Open open = own.open.back();
  if (open.op != Op::wait && open.op != Op::barrier) return;
  slice(id, open, index, true);
  own.open.pop_back();
}

// An acquire that takes the lock back after a wait opens nothing.
bool ChromeWriter::is_open(const Thread& own, const Event& event) {
  return std::any_of(own.open.begin(), own.open.end(), [&](const Open& open) {
    return open.op == event.op() && open.object == event.object;
  });
}

void ChromeWriter::close(ThreadId id, Op op, uint32_t object, uint64_t index) {
  std::vector<Open>& open = thread(id).open;
  for (size_t i = open.size(); i-- > 0;) {
    if (open[i].op != op || open[i].object != object) continue;
    slice(id, open[i], index, true);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

void ChromeWriter::slice(ThreadId id, const Open& open, uint64_t end, bool ends) {
  const Space space = space_of(open.op);
  const std::string name(symbols_.names(space)[open.object]);
  Json args = {{"from", open.since}};
  args[ends ? "to" : "still open at"] = end;
  if (const std::string where = site_words(open.site); !where.empty()) args["site"] = where;
  const double last = static_cast<double>(end) + (ends ? kInstant : 0);
  write({{"ph", "X"},
         {"name", fmt::format("{} {}", what_opens(open.op), printable(name, kLongestName))},
         {"cat", std::string(what_opens(open.op))},
         {"pid", 1},
         {"tid", id + 1},
         {"ts", open.since},
         {"dur", last - static_cast<double>(open.since)},
         {"args", std::move(args)}});
}

void ChromeWriter::arrow(std::string_view name, ThreadId from, uint64_t start, ThreadId to,
                         uint64_t end) {
  const uint64_t id = ++arrows_;
  const auto half = [&](const char* phase, ThreadId thread_id, uint64_t index) {
    Json json = {{"ph", phase},
                 {"name", std::string(name)},
                 {"cat", "order"},
                 {"id", id},
                 {"pid", 1},
                 {"tid", thread_id + 1},
                 {"ts", static_cast<double>(index) + kInstant / 2}};
    if (*phase == 'f') json["bp"] = "e";
    write(json);
  };
  half("s", from, start);
  half("f", to, end);
}

void ChromeWriter::write(const Json& json) {
  sink_.write(first_ ? "\n" : ",\n");
  first_ = false;
  sink_.write(dumped(json));
}

ChromeWriter::Thread& ChromeWriter::thread(ThreadId id) {
  if (id >= threads_.size()) threads_.resize(id + 1);
  if (!threads_[id].named) {
    threads_[id].named = true;
    write({{"ph", "M"},
           {"name", "thread_name"},
           {"pid", 1},
           {"tid", id + 1},
           {"args", {{"name", "thread " + printable(symbols_.thread(id), kLongestName)}}}});
  }
  return threads_[id];
}

std::string ChromeWriter::site_words(SiteId site) const {
  std::string text = symbols_.site_text(site);
  const std::string function = symbols_.site_function(site);
  if (!function.empty()) text += " in " + function;
  return printable(text, kLongestName);
}

}  // namespace foretrace
