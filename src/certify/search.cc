#include "certify/search.h"

#include <algorithm>

namespace foretrace {

Search::Search(const Model& model, const Goal& goal, const Window& window, uint64_t budget)
    : model_(model),
      goal_(goal),
      window_(window),
      budget_(budget),
      limits_(model.thread_count()),
      begins_(window.begins(model)),
      reads_from_(model, begins_) {
  for (ThreadId thread = 0; thread < limits_.size(); ++thread) {
    limits_[thread] = static_cast<uint32_t>(model.nodes(thread).size());
  }
  for (const uint64_t index : goal.next) {
    const Step step = model.step_of(index);
    limits_[step.thread] = step.place;
  }
  for (const EventPair& pair : goal.ordered) {
    edges_.push_back({model.step_of(pair.first), model.step_of(pair.second)});
  }
  if (goal.other_read) {
    const Step read = model.step_of(goal.other_read->read);
    const std::optional<uint64_t> challenger = goal.other_read->challenger;
    reads_from_.redirect(read, challenger ? model.step_of(*challenger) : kNoStep);
    limits_[read.thread] = read.place + 1;
  }
}

bool Search::spend() {
  spent_ += order_.size() * order_.threads().size();
  return spent_ <= budget_;
}

Verdict Search::try_trace_order() {
  if (!close_set()) return Verdict::infeasible;
  return take_trace_order() ? Verdict::feasible : Verdict::undecided;
}

bool Search::contradicts() {
  for (Outcome outcome = Outcome::grown; outcome == Outcome::grown && spent_ <= budget_;) {
    if (!close_set()) return true;
    outcome = build_order();
    if (outcome == Outcome::good) outcome = saturate();
    if (outcome == Outcome::bad) return true;
  }
  return false;
}

Verdict Search::solve() {
  const size_t decided = edges_.size();
  const auto leave = [&](Verdict verdict) {
    edges_.resize(decided);
    return verdict;
  };
  for (Outcome outcome = Outcome::grown; outcome == Outcome::grown;) {
    if (!close_set()) return leave(Verdict::infeasible);
    outcome = build_order();
    if (outcome == Outcome::good && play_unsaturated()) return Verdict::feasible;
    if (outcome == Outcome::good) outcome = saturate();
    if (spent_ > budget_) return leave(Verdict::undecided);
    if (outcome == Outcome::bad) return leave(Verdict::infeasible);
  }
  Player player = make_player();
  if (player.run()) {
    take_schedule(player);
    return Verdict::feasible;
  }
  if (!spend()) return leave(Verdict::undecided);

  // One of two orders holds in every correct reordering; the play took the
  // second and got stuck.
  const size_t forced = edges_.size();
  Verdict verdict = Verdict::infeasible;
  for (const OrderEdge& edge : {player.obstacle().first, player.obstacle().second}) {
    edges_.resize(forced);
    edges_.push_back(edge);
    const Verdict one = solve();
    if (one == Verdict::feasible) return one;
    if (one == Verdict::undecided) verdict = one;
    if (spent_ > budget_) break;
  }
  return leave(verdict);
}

// Most goals that ask for an order need no more than a play that keeps it. What
// is forced only helps the play not to get stuck: a play that ends well is right
// without it, too.
bool Search::play_unsaturated() {
  if (goal_.ordered.empty() || edges_.size() != goal_.ordered.size() || spent_ > budget_) {
    return false;
  }
  Player player = make_player();
  if (!player.run()) return false;
  take_schedule(player);
  return true;
}

Player Search::make_player() const { return Player(model_, order_, reads_from_, locks_); }

void Search::take_schedule(const Player& player) {
  schedule_ = needed_past();
  schedule_.insert(schedule_.end(), player.schedule().begin(), player.schedule().end());
}

// ---- the order of the trace

// In the order of the trace, all that can be wrong is a section that ends
// outside of the set, and has others of its lock behind it; and what a
// redirected read, which comes after all that it needs, sees there.
bool Search::take_trace_order() {
  for (const EventPair& pair : goal_.ordered) {
    if (pair.first > pair.second) return false;
  }
  const Step redirected = reads_from_.redirected();
  if (redirected != kNoStep && last_write_seen() != reads_from_.writer_of(redirected)) return false;
  std::vector<uint64_t> schedule;
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    for (uint32_t place = 0; place < lengths_[thread]; ++place) {
      const Model::Node& node = model_.node({thread, place});
      if (node.kind == Model::Kind::acquire && node.partner >= lengths_[thread] &&
          !is_last_of_its_lock({thread, place})) {
        return false;
      }
      if (!node.takes_back) schedule.push_back(node.index);
    }
  }
  std::sort(schedule.begin(), schedule.end());
  if (redirected != kNoStep) {
    const uint64_t read = goal_.other_read->read;
    std::rotate(std::lower_bound(schedule.begin(), schedule.end(), read),
                std::upper_bound(schedule.begin(), schedule.end(), read), schedule.end());
  }
  schedule_ = std::move(schedule);
  return true;
}

// What the redirected read would see after all other steps of the set, in the
// order of the trace.
Step Search::last_write_seen() const {
  const Step read = reads_from_.redirected();
  Step last = kNoStep;
  for (const Model::ThreadWrites& writes : model_.writes(model_.node(read).object)) {
    auto end =
        std::lower_bound(writes.places.begin(), writes.places.end(), lengths_[writes.thread]);
    if (end != writes.places.begin() && Step{writes.thread, *(end - 1)} == read) --end;
    if (end == writes.places.begin()) continue;
    const Step step = {writes.thread, *(end - 1)};
    if (last == kNoStep || model_.node(last).index < model_.node(step).index) last = step;
  }
  return last;
}

// Whether the redirected read is to see the initial value, and cannot because
// the past that is kept has a write.
bool Search::past_hides_initial_value() const {
  const Step read = reads_from_.redirected();
  if (window_.past == Window::Past::ignored || reads_from_.writer_of(read) != kNoStep) return false;
  const std::vector<Model::ThreadWrites>& writes = model_.writes(model_.node(read).object);
  return std::any_of(writes.begin(), writes.end(), [&](const Model::ThreadWrites& one) {
    return one.places.front() < begins_[one.thread];
  });
}

bool Search::is_last_of_its_lock(Step acquire) const {
  const Model::Node& node = model_.node(acquire);
  for (const Model::ThreadSections& theirs : model_.sections(node.object)) {
    if (theirs.thread == acquire.thread) continue;
    // Their last section of the set that excludes this one.
    auto end = std::partition_point(
        theirs.sections.begin(), theirs.sections.end(),
        [&](const Model::Section& one) { return one.begin < lengths_[theirs.thread]; });
    while (end != theirs.sections.begin() && node.shared && (end - 1)->shared) --end;
    if (end == theirs.sections.begin()) continue;
    if (model_.node({theirs.thread, (end - 1)->begin}).index > node.index) return false;
  }
  return true;
}

// ---- the set

bool Search::require_thread(ThreadId thread, uint32_t length) {
  if (length > limits_[thread]) return false;
  lengths_[thread] = std::max(lengths_[thread], length);
  return true;
}

bool Search::require(Step step) {
  return step.place < limits_[step.thread] && require_thread(step.thread, step.place + 1);
}

// The smallest set that the goal and the decisions need; false if it would
// contain an event of the goal itself.
bool Search::close_set() {
  lengths_ = begins_;
  for (const uint64_t index : goal_.next) {
    const Step step = model_.step_of(index);
    if (!require_thread(step.thread, step.place)) return false;
    // What the event itself needs to be next, such as its thread's fork.
    for (const Model::Need& need : model_.needs(step.thread, step.place, step.place + 1)) {
      if (!require(need.step)) return false;
    }
  }
  const Step redirected = reads_from_.redirected();
  if (redirected != kNoStep && (!require(redirected) || past_hides_initial_value())) return false;
  for (const OrderEdge& edge : edges_) {
    if (!require(edge.from) || !require(edge.to)) return false;
  }
  return close_over_needs();
}

bool Search::close_over_needs() {
  // Goes on from where each thread has been looked at, until nothing is new.
  std::vector<uint32_t> seen = begins_;
  for (bool changed = true; changed;) {
    changed = false;
    for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
      if (seen[thread] == lengths_[thread]) continue;
      changed = true;
      for (const Model::Need& need : model_.needs(thread, seen[thread], lengths_[thread])) {
        if (!require(need.step)) return false;
      }
      for (; seen[thread] < lengths_[thread]; ++seen[thread]) {
        const Step step = {thread, seen[thread]};
        const Step writer = reads_from_.writer_of(step);
        if (writer != kNoStep && !require(writer)) return false;
      }
    }
  }
  return true;
}

// ---- the past

// All of the past, in the order of the trace, and then the schedule that was
// found is right. Most of the past is not needed.
std::vector<uint64_t> Search::needed_past() {
  if (window_.first == 0) return {};
  Search all(model_, goal_, Window(), budget_);
  all.edges_ = edges_;
  all.close_set();
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    if (lengths_[thread] > begins_[thread]) all.require_thread(thread, lengths_[thread]);
  }
  do {
    all.close_over_needs();
  } while (all.require_ends_of_sections(begins_));
  std::vector<uint64_t> past;
  for (ThreadId thread = 0; thread < begins_.size(); ++thread) {
    const uint32_t end = std::min(all.lengths_[thread], begins_[thread]);
    for (uint32_t place = 0; place < end; ++place) {
      const Model::Node& node = model_.node({thread, place});
      if (!node.takes_back) past.push_back(node.index);
    }
  }
  std::sort(past.begin(), past.end());
  return past;
}

// A section of the past that others come after must end. True if that made the
// set larger.
bool Search::require_ends_of_sections(const std::vector<uint32_t>& ends_of_past) {
  bool grown = false;
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    for (uint32_t place = 0; place < std::min(lengths_[thread], ends_of_past[thread]); ++place) {
      const Model::Node& node = model_.node({thread, place});
      if (node.kind != Model::Kind::acquire || node.partner < lengths_[thread]) continue;
      if (node.partner >= ends_of_past[thread] || is_last_of_its_lock({thread, place})) continue;
      require_thread(thread, node.partner + 1);
      grown = true;
    }
  }
  return grown;
}

}  // namespace foretrace
