#include "certify/search.h"

#include <algorithm>

#include "certify/player.h"

namespace foretrace {
namespace {

// Steps times threads of a set that is still put into an order: 1 GB.
constexpr uint64_t kLargestOrder = uint64_t{1} << 28;

}  // namespace

Search::Search(const Model& model, const Goal& goal, uint64_t budget)
    : model_(model), goal_(goal), budget_(budget), limits_(model.thread_count()) {
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
    redirected_.read = model.step_of(goal.other_read->read);
    if (goal.other_read->challenger) {
      redirected_.writer = model.step_of(*goal.other_read->challenger);
    }
    limits_[redirected_.read.thread] = redirected_.read.place + 1;
  }
}

Certificate Search::run() {
  Certificate certificate;
  certificate.verdict = solve();
  certificate.steps = spent_;
  if (certificate.verdict == Verdict::feasible) certificate.schedule = std::move(schedule_);
  return certificate;
}

bool Search::spend() {
  spent_ += order_.size() * order_.threads().size();
  return spent_ <= budget_;
}

Verdict Search::solve() {
  const size_t decided = edges_.size();
  const auto leave = [&](Verdict verdict) {
    edges_.resize(decided);
    return verdict;
  };
  for (Outcome outcome = Outcome::grown; outcome == Outcome::grown;) {
    if (!close_set()) return leave(Verdict::infeasible);
    if (edges_.size() == goal_.ordered.size() && take_trace_order()) return Verdict::feasible;
    outcome = build_order();
    if (outcome == Outcome::good && play_unsaturated()) return Verdict::feasible;
    if (outcome == Outcome::good) outcome = saturate();
    if (spent_ > budget_) return leave(Verdict::undecided);
    if (outcome == Outcome::bad) return leave(Verdict::infeasible);
  }
  Player player(model_, order_, redirected_);
  if (player.run()) {
    schedule_ = player.schedule();
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
  Player player(model_, order_, redirected_);
  if (!player.run()) return false;
  schedule_ = player.schedule();
  return true;
}

// In the order of the trace, all that can be wrong is a section that ends
// outside of the set, and has others of its lock behind it; and what a
// redirected read, which comes after all that it needs, sees there.
bool Search::take_trace_order() {
  for (const EventPair& pair : goal_.ordered) {
    if (pair.first > pair.second) return false;
  }
  if (redirected_.read != kNoStep && last_write_seen() != redirected_.writer) return false;
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
  if (redirected_.read != kNoStep) {
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
  Step last = kNoStep;
  for (const Model::ThreadWrites& writes : model_.writes(model_.node(redirected_.read).object)) {
    auto end =
        std::lower_bound(writes.places.begin(), writes.places.end(), lengths_[writes.thread]);
    if (end != writes.places.begin() && Step{writes.thread, *(end - 1)} == redirected_.read) --end;
    if (end == writes.places.begin()) continue;
    const Step step = {writes.thread, *(end - 1)};
    if (last == kNoStep || model_.node(last).index < model_.node(step).index) last = step;
  }
  return last;
}

bool Search::is_last_of_its_lock(Step acquire) const {
  const Model::Node& node = model_.node(acquire);
  for (const Model::ThreadSections& theirs : model_.sections(node.object)) {
    if (theirs.thread == acquire.thread) continue;
    for (auto other = theirs.sections.rbegin(); other != theirs.sections.rend(); ++other) {
      if (other->begin >= lengths_[theirs.thread] || (node.shared && other->shared)) continue;
      if (model_.node({theirs.thread, other->begin}).index > node.index) return false;
      break;  // the ones before it come before it
    }
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
  lengths_.assign(limits_.size(), 0);
  for (const uint64_t index : goal_.next) {
    const Step step = model_.step_of(index);
    if (!require_thread(step.thread, step.place)) return false;
    // What the event itself needs to be next, such as its thread's fork.
    for (const Model::Need& need : model_.needs(step.thread)) {
      if (need.place == step.place && !require(need.step)) return false;
    }
  }
  if (redirected_.read != kNoStep && !require(redirected_.read)) return false;
  for (const OrderEdge& edge : edges_) {
    if (!require(edge.from) || !require(edge.to)) return false;
  }
  // Goes on from where each thread has been looked at, until nothing is new.
  std::vector<uint32_t> seen(lengths_.size());
  std::vector<size_t> next_need(lengths_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
      const std::vector<Model::Node>& nodes = model_.nodes(thread);
      for (; seen[thread] < lengths_[thread]; ++seen[thread]) {
        changed = true;
        Step writer = nodes[seen[thread]].writer;
        if (redirected_.read == Step{thread, seen[thread]}) writer = redirected_.writer;
        if (writer != kNoStep && !require(writer)) return false;
      }
      const std::vector<Model::Need>& needs = model_.needs(thread);
      size_t& next = next_need[thread];
      for (; next < needs.size() && needs[next].place < lengths_[thread]; ++next) {
        if (!require(needs[next].step)) return false;
      }
    }
  }
  return true;
}

// ---- what is forced

Search::Outcome Search::build_order() {
  uint64_t steps = 0;
  uint64_t width = 0;
  for (const uint32_t length : lengths_) {
    steps += length;
    width += length > 0 ? 1 : 0;
  }
  if (steps * width > kLargestOrder) {
    spent_ = budget_ + 1;
    return Outcome::good;  // solve() sees that it is spent
  }
  order_.reset(lengths_);
  reads_.clear();
  locks_.clear();
  for (const ThreadId thread : order_.threads()) {
    for (const Model::Need& need : model_.needs(thread)) {
      if (need.place >= lengths_[thread]) break;
      order_.add({need.step, {thread, need.place}});
    }
    for (uint32_t place = 0; place < lengths_[thread]; ++place) {
      const Step step = {thread, place};
      const Model::Node& node = model_.node(step);
      if (node.kind == Model::Kind::acquire) locks_.push_back(node.object);
      if (node.kind == Model::Kind::read || node.kind == Model::Kind::read_write) {
        reads_.push_back(step);
        const Step writer = writer_of(step);
        if (writer != kNoStep && writer.thread != thread) order_.add({writer, step});
      }
    }
  }
  std::sort(locks_.begin(), locks_.end());
  locks_.erase(std::unique(locks_.begin(), locks_.end()), locks_.end());
  for (const OrderEdge& edge : edges_) order_.add(edge);
  const bool acyclic = order_.close();
  spend();
  return acyclic ? Outcome::good : Outcome::bad;
}

Search::Outcome Search::saturate() {
  while (spent_ <= budget_) {
    bool changed = false;
    for (auto rule : {&Search::saturate_reads, &Search::saturate_locks}) {
      const Outcome outcome = (this->*rule)(changed);
      if (outcome != Outcome::good) return outcome;
    }
    if (!changed) return Outcome::good;
    if (!order_.close()) return Outcome::bad;
    spend();
  }
  return Outcome::good;  // solve() sees that the budget is spent
}

// Adds an edge that must hold, unless it is known.
Search::Outcome Search::force(const OrderEdge& edge, bool& changed) {
  if (!order_.contains(edge.from)) {
    // A section must end, but its end is not in the set yet.
    edges_.push_back(edge);
    return Outcome::grown;
  }
  if (order_.ordered(edge.from, edge.to)) return Outcome::good;
  if (edge.from == edge.to || order_.ordered(edge.to, edge.from)) return Outcome::bad;
  order_.add(edge);
  changed = true;
  return Outcome::good;
}

Search::Outcome Search::saturate_reads(bool& changed) {
  for (const Step& read : reads_) {
    const Outcome outcome = saturate_read(read, changed);
    if (outcome != Outcome::good) return outcome;
  }
  return Outcome::good;
}

// No other write comes between a read and the write that it reads from: one that
// is before the read is before that write, one that is after that write is after
// the read. It is enough to look at the nearest of each thread.
Search::Outcome Search::saturate_read(Step read, bool& changed) {
  const Step writer = writer_of(read);
  for (const Model::ThreadWrites& writes : model_.writes(model_.node(read).object)) {
    const ThreadId thread = writes.thread;
    const auto in_set =
        std::lower_bound(writes.places.begin(), writes.places.end(), order_.length(thread));
    if (in_set == writes.places.begin()) continue;
    // The last write that is before the read.
    auto before = std::lower_bound(writes.places.begin(), in_set, order_.before(read, thread));
    if (before != writes.places.begin()) {
      const Step other = {thread, *(before - 1)};
      if (other != writer) {
        if (writer == kNoStep) return Outcome::bad;
        const Outcome outcome = force({other, writer}, changed);
        if (outcome != Outcome::good) return outcome;
      }
    }
    // The first write that is after the read's writer.
    auto after = writes.places.begin();
    if (writer != kNoStep) {
      after = std::partition_point(after, in_set, [&](uint32_t place) {
        const Step other = {thread, place};
        return other == writer || !order_.ordered(writer, other);
      });
    }
    if (after == in_set) continue;
    const Step other = {thread, *after};
    if (other == read) continue;  // a read-modify-write, after which all others come
    const Outcome outcome = force({read, other}, changed);
    if (outcome != Outcome::good) return outcome;
  }
  return Outcome::good;
}

Search::Outcome Search::saturate_locks(bool& changed) {
  for (const LockId lock : locks_) {
    const std::vector<Model::ThreadSections>& sections = model_.sections(lock);
    if (sections.size() < 2) continue;
    const Outcome outcome = saturate_sections(sections, changed);
    if (outcome != Outcome::good) return outcome;
  }
  return Outcome::good;
}

// Two sections do not overlap: if one begins before the other ends, it ends
// before the other begins. A section that cannot end comes after all others.
Search::Outcome Search::saturate_sections(const std::vector<Model::ThreadSections>& lock,
                                          bool& changed) {
  for (const Model::ThreadSections& mine : lock) {
    for (const Model::Section& section : mine.sections) {
      if (section.begin >= order_.length(mine.thread)) break;
      const Step begin = {mine.thread, section.begin};
      const bool ends_here = section.end < order_.length(mine.thread);
      const bool may_end = section.end < limits_[mine.thread];
      for (const Model::ThreadSections& theirs : lock) {
        if (theirs.thread == mine.thread) continue;
        // Their sections that begin before mine ends.
        const uint32_t bound = ends_here ? order_.before({mine.thread, section.end}, theirs.thread)
                               : may_end ? order_.before(begin, theirs.thread)
                                         : order_.length(theirs.thread);
        auto last =
            std::partition_point(theirs.sections.begin(), theirs.sections.end(),
                                 [&](const Model::Section& other) { return other.begin < bound; });
        if (section.shared) {  // readers do not exclude readers
          while (last != theirs.sections.begin() && (last - 1)->shared) --last;
        }
        if (last == theirs.sections.begin()) continue;
        const Model::Section& other = *(last - 1);
        if (other.end >= limits_[theirs.thread]) return Outcome::bad;
        const Outcome outcome = force({{theirs.thread, other.end}, begin}, changed);
        if (outcome != Outcome::good) return outcome;
      }
    }
  }
  return Outcome::good;
}

}  // namespace foretrace
