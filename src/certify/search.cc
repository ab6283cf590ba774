#include "certify/search.h"

#include <algorithm>

#include "base/interrupt.h"

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
  if (interrupted()) spent_ = budget_;
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

// What the play did in the order of the trace, too, needs no list.
void Search::take_schedule(const Player& player) {
  const std::vector<uint64_t>& played = player.schedule();
  std::vector<uint32_t> first = needed_past();
  auto moved = std::is_sorted_until(played.begin(), played.end());
  if (goal_.other_read && moved == played.end()) --moved;  // it ends with the read
  for (auto index = played.begin(); index != moved; ++index) {
    const Step step = model_.step_of(*index);
    first[step.thread] = step.place + 1;
  }
  schedule_.until.resize(first.size());
  for (ThreadId thread = 0; thread < first.size(); ++thread) {
    schedule_.until[thread] = end_of(thread, first[thread]);
  }
  schedule_.then.assign(moved, played.end());
}

uint64_t Search::end_of(ThreadId thread, uint32_t length) const {
  if (length == 0) return 0;
  const Model::Node& last = model_.node({thread, length - 1});
  return last.takes_back ? last.index : last.index + 1;
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
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    for (const uint32_t place : model_.open_acquires(thread, lengths_[thread])) {
      if (!is_last_of_its_lock({thread, place})) return false;
    }
  }
  schedule_.until.resize(lengths_.size());
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    schedule_.until[thread] = end_of(thread, lengths_[thread]);
  }
  schedule_.then.clear();
  if (redirected != kNoStep) {
    schedule_.until[redirected.thread] = end_of(redirected.thread, redirected.place);
    schedule_.then = {goal_.other_read->read};
  }
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

// What an event needs comes before it in the trace. So a way from need to need that
// comes back to a thread comes back to an earlier step of it, which belongs to the
// set anyway: each round reaches one thread further, and there are few.
bool Search::close_over_needs() {
  std::vector<uint32_t> seen = begins_;
  for (bool changed = true; changed;) {
    changed = false;
    for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
      if (seen[thread] == lengths_[thread]) continue;
      changed = true;
      seen[thread] = lengths_[thread];
      if (!require_needs_of(thread)) return false;
    }
  }
  return true;
}

bool Search::require_needs_of(ThreadId thread) {
  uint32_t length = lengths_[thread];
  // The redirected read, the last of its thread, does not need what it saw.
  const Step redirected = reads_from_.redirected();
  if (redirected.thread == thread && redirected.place + 1 == length) {
    length = redirected.place;
    for (const Model::Need& need : model_.needs(thread, length, length + 1)) {
      if (!require(need.step)) return false;
    }
    const Step writer = reads_from_.writer_of(redirected);
    if (writer != kNoStep && !require(writer)) return false;
  }
  for (const Model::ThreadNeeds& needs : model_.needs_of_threads(thread)) {
    if (!require_thread(needs.thread, needs.of_first(length))) return false;
  }
  return true;
}

// ---- the past

// All of the past, in the order of the trace, and then the schedule that was
// found is right. Most of the past is not needed.
std::vector<uint32_t> Search::needed_past() {
  if (window_.first == 0) return std::vector<uint32_t>(lengths_.size());
  Search all(model_, goal_, Window(), budget_);
  all.edges_ = edges_;
  all.close_set();
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    if (lengths_[thread] > begins_[thread]) all.require_thread(thread, lengths_[thread]);
  }
  do {
    all.close_over_needs();
  } while (all.require_ends_of_sections(begins_));
  std::vector<uint32_t> past(lengths_.size());
  for (ThreadId thread = 0; thread < past.size(); ++thread) {
    past[thread] = std::min(all.lengths_[thread], begins_[thread]);
  }
  return past;
}

// A section of the past that others come after must end. True if that made the
// set larger.
bool Search::require_ends_of_sections(const std::vector<uint32_t>& ends_of_past) {
  bool grown = false;
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    for (const uint32_t place : model_.open_acquires(thread, lengths_[thread])) {
      const uint32_t end = model_.node({thread, place}).partner;
      if (end >= ends_of_past[thread] || is_last_of_its_lock({thread, place})) continue;
      require_thread(thread, end + 1);
      grown = true;
    }
  }
  return grown;
}

}  // namespace foretrace
