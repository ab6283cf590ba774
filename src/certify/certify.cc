#include "certify/certify.h"

#include <algorithm>
#include <limits>

#include "certify/search.h"

namespace foretrace {
namespace {

// The index of the goal's first event.
uint64_t first_of(const Goal& goal) {
  uint64_t first = std::numeric_limits<uint64_t>::max();
  for (const uint64_t index : goal.next) first = std::min(first, index);
  for (const auto& [a, b] : goal.ordered) first = std::min({first, a, b});
  if (goal.other_read) {
    first = std::min({first, goal.other_read->read, goal.other_read->challenger.value_or(first)});
  }
  return first;
}

class Attempts {
 public:
  Attempts(const Model& model, const Goal& goal, uint64_t budget)
      : model_(model), goal_(goal), budget_(budget) {}

  Certificate take() { return std::move(certificate_); }
  uint64_t left() const { return budget_ - std::min(budget_, certificate_.steps); }

  bool trace_order_decides() {
    Search search(model_, goal_, {}, budget_);
    return note(search, search.try_trace_order());
  }

  // Whether the window has a schedule, or what is forced in it a contradiction.
  bool window_decides(uint64_t first) {
    Search relaxed(model_, goal_, {first, Window::Past::ignored}, left());
    if (note(relaxed, relaxed.contradicts() ? Verdict::infeasible : Verdict::undecided)) {
      return true;
    }
    // That there is no schedule with this past means nothing, so it must not cost
    // much more than the contradiction, which was not found, did.
    constexpr uint64_t kTries = 20;
    Search search(model_, goal_, {first, Window::Past::kept},
                  std::min(left(), kTries * (relaxed.spent() + 1)));
    const Verdict verdict = search.solve();
    return note(search, verdict == Verdict::feasible ? verdict : Verdict::undecided);
  }

  void search_all() {
    Search search(model_, goal_, {}, left());
    note(search, search.solve());
  }

 private:
  // Whether that is the answer.
  bool note(const Search& search, Verdict verdict) {
    certificate_.verdict = verdict;
    certificate_.steps += search.spent();
    if (verdict == Verdict::feasible) certificate_.schedule = search.schedule();
    return verdict != Verdict::undecided;
  }

  const Model& model_;
  const Goal& goal_;
  const uint64_t budget_;
  Certificate certificate_;
};

// How many steps of a thread belong to events before the index.
uint32_t steps_before(const Model& model, ThreadId thread, uint64_t index) {
  const std::vector<Model::Node>& nodes = model.nodes(thread);
  const auto end = std::partition_point(
      nodes.begin(), nodes.end(), [&](const Model::Node& node) { return node.index < index; });
  return static_cast<uint32_t>(end - nodes.begin());
}

// Merges sorted parts of numbers, two neighbours at a time. The parts end at `ends`, the first of
// which is 0.
void merge_parts(std::vector<uint64_t>& numbers, std::vector<size_t> ends) {
  const auto at = [&](size_t part) { return numbers.begin() + static_cast<ptrdiff_t>(ends[part]); };
  while (ends.size() > 2) {
    std::vector<size_t> merged = {0};
    for (size_t part = 1; part < ends.size(); part += 2) {
      const size_t last = std::min(part + 1, ends.size() - 1);
      std::inplace_merge(at(part - 1), at(part), at(last));
      merged.push_back(ends[last]);
    }
    ends = std::move(merged);
  }
}

}  // namespace

Certificate certify(const Model& model, const Goal& goal, uint64_t budget, uint64_t near) {
  constexpr uint64_t kWider = 8;
  Attempts attempts(model, goal, budget);
  if (attempts.trace_order_decides()) return attempts.take();
  const uint64_t first = first_of(goal);
  for (uint64_t distance = near; distance < first && attempts.left() > 0; distance *= kWider) {
    if (attempts.window_decides(first - distance)) return attempts.take();
  }
  if (attempts.left() > 0) attempts.search_all();
  return attempts.take();
}

uint64_t length_of(const Model& model, const Schedule& schedule) {
  uint64_t length = schedule.then.size();
  for (ThreadId thread = 0; thread < schedule.until.size(); ++thread) {
    length += steps_before(model, thread, schedule.until[thread]);
  }
  return length;
}

std::vector<uint64_t> written_out(const Model& model, const Schedule& schedule) {
  std::vector<uint64_t> events;
  std::vector<size_t> ends = {0};  // of what each thread does, which is in order
  for (ThreadId thread = 0; thread < schedule.until.size(); ++thread) {
    const uint32_t end = steps_before(model, thread, schedule.until[thread]);
    for (uint32_t place = 0; place < end; ++place) {
      const Model::Node& node = model.node({thread, place});
      if (!node.takes_back) events.push_back(node.index);
    }
    ends.push_back(events.size());
  }
  merge_parts(events, ends);
  events.insert(events.end(), schedule.then.begin(), schedule.then.end());
  return events;
}

}  // namespace foretrace
