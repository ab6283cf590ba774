#include "programs/equivalents.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace foretrace::programs {
namespace {

// A number that only grows.
class BigCount {
 public:
  explicit BigCount(uint32_t value = 0) : digits_{value} {}

  BigCount& operator+=(const BigCount& other) {
    digits_.resize(std::max(digits_.size(), other.digits_.size()));
    uint32_t carry = 0;
    for (size_t i = 0; i < digits_.size(); ++i) {
      digits_[i] += carry + (i < other.digits_.size() ? other.digits_[i] : 0);
      carry = digits_[i] / kBase;
      digits_[i] %= kBase;
    }
    if (carry > 0) digits_.push_back(carry);
    return *this;
  }

  std::string decimal() const {
    std::string text = std::to_string(digits_.back());
    for (size_t i = digits_.size() - 1; i-- > 0;) text += fmt::format("{:09}", digits_[i]);
    return text;
  }

 private:
  static constexpr uint32_t kBase = 1'000'000'000;
  std::vector<uint32_t> digits_;  // lowest first
};

// How many states a count may have in memory at a time.
constexpr size_t kMostStates = 2'000'000;

}  // namespace

Equivalents::Equivalents(const Trace& trace, Equivalence equivalence)
    : trace_(trace), rules_(trace, equivalence), state_(rules_.start()) {}

bool Equivalents::next() {
  if (!started_) {
    started_ = true;
    if (descend(kNoEvent)) return true;
  }
  while (!order_.empty()) {
    const uint32_t last = order_.back();
    rules_.undo(state_, last, former_writes_.back());
    order_.pop_back();
    former_writes_.pop_back();
    if (descend(last)) return true;
  }
  return false;
}

// Goes on with an event after `after`, and then with the first that there is each
// time. False if it gets stuck: the read that comes next can see its write no more.
bool Equivalents::descend(uint32_t after) {
  while (order_.size() < rules_.event_count()) {
    const uint32_t event = rules_.next_enabled(state_, after);
    if (event == kNoEvent) return false;
    former_writes_.push_back(rules_.apply(state_, event));
    order_.push_back(event);
    after = kNoEvent;
  }
  return after == kNoEvent;
}

Trace Equivalents::trace() const {
  const size_t locations = trace_.symbols->names(Space::location).size();
  std::vector<uint32_t> saw(trace_.events.size(), kNoEvent);  // by read: the write
  std::vector<uint32_t> last(locations, kNoEvent);
  for (uint32_t i = 0; i < trace_.events.size(); ++i) {
    const Event& event = trace_.events[i];
    if (reads(event.op())) saw[i] = last[event.object];
    if (writes(event.op())) last[event.object] = i;
  }
  EventBuffer buffer;
  buffer.big_values = trace_.big_values;
  last.assign(locations, kNoEvent);
  for (const uint32_t i : order_) {
    Event event = trace_.events[i];
    const Op op = event.op();
    const uint32_t sees = reads(op) ? last[event.object] : kNoEvent;
    if (reads(op) && !writes(op) && event.has_value != 0 && sees != saw[i]) {
      const std::optional<int64_t> value =
          sees == kNoEvent ? 0 : trace_.batch().value_of(trace_.events[sees]);
      event.has_value = event.big_value = 0;
      // What an update leaves behind is not known.
      const bool known = sees == kNoEvent || !reads(trace_.events[sees].op());
      if (value && known) buffer.set_value(event, *value);
    }
    buffer.events.push_back(event);
    if (writes(op)) last[event.object] = i;
  }
  return {trace_.symbols, std::move(buffer.events), std::move(buffer.big_values)};
}

// Traces that go through the same state go on in the same ways, so states are
// counted, level by level, with the number of ways that lead to them.
Result<std::string> count_equivalents(const Trace& trace, Equivalence equivalence) {
  const ReorderingRules rules(trace, equivalence);
  std::map<ReorderingState, BigCount> level = {{rules.start(), BigCount(1)}};
  for (size_t done = 0; done < rules.event_count(); ++done) {
    std::map<ReorderingState, BigCount> following;
    for (const auto& [state, ways] : level) {
      uint32_t event = rules.next_enabled(state, kNoEvent);
      for (; event != kNoEvent; event = rules.next_enabled(state, event)) {
        ReorderingState after = state;
        rules.apply(after, event);
        following[std::move(after)] += ways;
      }
      if (following.size() > kMostStates) {
        return fail("after {} there are more than {} states: too many to count; use --limit",
                    counted(done, "event"), with_commas(kMostStates));
      }
    }
    level = std::move(following);
  }
  BigCount all;
  for (const auto& [state, ways] : level) all += ways;
  return all.decimal();
}

}  // namespace foretrace::programs
