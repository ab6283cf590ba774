#include "report/event_table.h"

#include <algorithm>

#include "base/sort_once.h"
#include "report/groups.h"

namespace foretrace {
namespace {

constexpr uint64_t kWholeTrace = 200'000;
constexpr uint64_t kMostEvents = 300'000;
constexpr uint64_t kAround = 12;  // events shown on either side of a finding's event

// Chooses the events that a table of a long trace has.
class Choice {
 public:
  Choice(uint64_t event_count, const std::vector<Finding>& findings)
      : findings_(findings), wanted_(event_count), has_schedule_(findings.size()) {
    // Each error's own finding first, then those that say the same.
    const std::vector<Group> groups = grouped(findings);
    for (const Group& group : groups) take(group.leader);
    for (const Group& group : groups) {
      for (const size_t i : group.same_error) take(i);
      for (const size_t i : group.same_places) take(i);
    }
  }
  const std::vector<bool>& wanted() const { return wanted_; }
  const std::vector<bool>& has_schedule() const { return has_schedule_; }

 private:
  void take(size_t place) {
    const Finding& finding = findings_[place];
    std::vector<uint64_t> fresh;
    const auto want = [&](uint64_t index) {
      if (index < wanted_.size() && !wanted_[index]) fresh.push_back(index);
    };
    for (const FindingEvent& event : finding.events) {
      const uint64_t first = event.index > kAround ? event.index - kAround : 0;
      for (uint64_t index = first; index <= event.index + kAround; ++index) want(index);
    }
    if (finding.witness) {
      for (const uint64_t index : *finding.witness) want(index);
    }
    sort_once(fresh);
    if (count_ + fresh.size() > kMostEvents) return;
    for (const uint64_t index : fresh) wanted_[index] = true;
    count_ += fresh.size();
    has_schedule_[place] = true;
  }

  const std::vector<Finding>& findings_;
  std::vector<bool> wanted_;
  std::vector<bool> has_schedule_;
  uint64_t count_ = 0;
};

}  // namespace

void EventTable::add(uint64_t index, Event event, const EventBatch& batch) {
  if (event.has_value != 0 && event.big_value != 0) {
    big_values.push_back(*batch.value_of(event));
    event.value = static_cast<int32_t>(big_values.size() - 1);
  }
  indexes.push_back(index);
  events.push_back(event);
}

Result<EventTable> collect_events(TraceStream& stream, uint64_t event_count,
                                  const std::vector<Finding>& findings) {
  EventTable table;
  table.symbols = stream.shared_symbols();
  const bool whole = event_count <= kWholeTrace;
  const Choice choice(whole ? 0 : event_count, findings);
  table.has_schedule = whole ? std::vector<bool>(findings.size(), true) : choice.has_schedule();
  for (;;) {
    const Result<EventBatch> batch = stream.next();
    if (!batch) return tl::unexpected(batch.error());
    if (batch->events.empty()) return table;
    for (size_t i = 0; i < batch->events.size(); ++i) {
      const uint64_t index = batch->first_index + i;
      if (whole || (index < event_count && choice.wanted()[index])) {
        table.add(index, batch->events[i], *batch);
      }
    }
  }
}

}  // namespace foretrace
