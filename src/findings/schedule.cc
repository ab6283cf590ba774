#include "findings/schedule.h"

#include <algorithm>

namespace foretrace {

std::optional<ShortSchedule> short_schedule(const Finding& finding) {
  if (!finding.detail.is_object()) return std::nullopt;
  const auto said = finding.detail.find("schedule");
  if (said == finding.detail.end() || !said->is_object()) return std::nullopt;
  const auto first = said->find("first");
  const auto then = said->find("then");
  if (first == said->end() || !first->is_object() || then == said->end() || !then->is_array()) {
    return std::nullopt;
  }
  ShortSchedule schedule;
  for (const auto& [thread, last] : first->items()) {
    if (!last.is_number_unsigned()) return std::nullopt;
    schedule.first[thread] = last.get<uint64_t>();
  }
  for (const auto& index : *then) {
    if (!index.is_number_unsigned()) return std::nullopt;
    schedule.then.push_back(index.get<uint64_t>());
  }
  return schedule;
}

bool has_schedule(const Finding& finding) {
  return finding.witness.has_value() || short_schedule(finding).has_value();
}

bool is_about(const Finding& finding, const Trace& trace) {
  return std::all_of(finding.events.begin(), finding.events.end(), [&](const FindingEvent& said) {
    if (said.index >= trace.events.size()) return false;
    const Event& event = trace.events[said.index];
    return event.op() == said.op && trace.symbols->thread(event.thread) == said.thread &&
           (event.site == kNoSite || trace.symbols->site_text(event.site) == said.site);
  });
}

std::vector<uint64_t> schedule_of(const Finding& finding, const Trace& trace) {
  if (finding.witness) return *finding.witness;
  const std::optional<ShortSchedule> schedule = short_schedule(finding);
  if (!schedule) return {};
  if (trace.symbols == nullptr) return schedule->then;  // there is no trace to go by
  std::vector<uint64_t> ends;  // by thread: the first index that does not belong to it
  for (ThreadId thread = 0; thread < trace.symbols->names(Space::thread).size(); ++thread) {
    const auto last = schedule->first.find(std::string(trace.symbols->thread(thread)));
    ends.push_back(last == schedule->first.end() ? 0 : last->second + 1);
  }
  std::vector<uint64_t> events;
  for (uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.op() != Op::skip && i < ends[event.thread]) events.push_back(i);
  }
  events.insert(events.end(), schedule->then.begin(), schedule->then.end());
  return events;
}

}  // namespace foretrace
