#include "programs/reordering_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "order/model.h"

namespace foretrace::programs {

// The edges of happens-before, and what keeps new ones from arising: where an
// edge would go the other way if two events changed places, they do not.
class HappensBeforeRules {
 public:
  HappensBeforeRules(const Trace& trace, ReorderingRules& rules) : trace_(trace), rules_(rules) {
    const Symbols& symbols = *trace.symbols;
    threads_.resize(symbols.names(Space::thread).size());
    locks_.resize(symbols.names(Space::lock).size());
    volatiles_.resize(symbols.names(Space::location).size());
    barriers_.resize(symbols.names(Space::barrier).size());
  }

  void build() {
    for (uint32_t i = 0; i < trace_.events.size(); ++i) {
      if (trace_.events[i].op() != Op::skip) add(i, trace_.events[i]);
    }
  }

 private:
  // The last event of each thread in some role: those before it are in program
  // order.
  using Latest = std::map<ThreadId, uint32_t>;
  struct Lock {
    Latest releases, reader_releases, notifies, wait_ends;
  };
  struct Volatile {
    Latest writes, reads;
  };
  struct Generation {
    std::vector<uint32_t> arrivals;
    std::vector<uint32_t> departures;
  };
  struct Thread {
    uint32_t fork = kNoEvent;
    uint32_t last = kNoEvent;
    std::optional<LockId> waits;
    std::optional<std::pair<uint32_t, size_t>> barrier;  // and the generation
  };

  void need(uint32_t event, uint32_t earlier) { rules_.rules_[event].needs.push_back(earlier); }
  void need(uint32_t event, const Latest& latest) {
    for (const auto& [thread, earlier] : latest) {
      if (thread != trace_.events[event].thread) need(event, earlier);
    }
  }

  void add(uint32_t i, const Event& event) {
    Thread& thread = threads_[event.thread];
    if (thread.last == kNoEvent && thread.fork != kNoEvent) need(i, thread.fork);
    if (thread.waits) end_wait(i, event, thread);
    if (thread.barrier) leave_barrier(i, thread);
    thread.last = i;
    switch (event.op()) {
      case Op::acq:
      case Op::racq:
        acquire(i, event.object, event.op() == Op::racq);
        break;
      case Op::wait:
        thread.waits = event.object;
        [[fallthrough]];
      case Op::rel:
        locks_[event.object].releases[event.thread] = i;
        break;
      case Op::rrel:
        locks_[event.object].reader_releases[event.thread] = i;
        break;
      case Op::notify:
      case Op::notifyall:
        need(i, locks_[event.object].wait_ends);
        locks_[event.object].notifies[event.thread] = i;
        break;
      case Op::fork:
        threads_[event.object].fork = i;
        break;
      case Op::join:
        join(i, threads_[event.object]);
        break;
      case Op::vrd:
      case Op::vwr:
      case Op::vrmw:
        access_volatile(i, event);
        break;
      case Op::barrier:
        arrive(i, event, thread);
        break;
      default:
        break;
    }
  }

  void acquire(uint32_t i, LockId lock, bool shared) {
    need(i, locks_[lock].releases);
    if (!shared) need(i, locks_[lock].reader_releases);
  }

  void end_wait(uint32_t i, const Event& event, Thread& thread) {
    Lock& lock = locks_[*thread.waits];
    acquire(i, *thread.waits, false);
    need(i, lock.notifies);
    lock.wait_ends[event.thread] = i;
    thread.waits.reset();
  }

  void join(uint32_t i, const Thread& child) {
    if (child.last != kNoEvent) {
      need(i, child.last);
    } else if (child.fork != kNoEvent) {
      need(i, child.fork);
    }
  }

  void access_volatile(uint32_t i, const Event& event) {
    Volatile& location = volatiles_[event.object];
    if (reads(event.op())) need(i, location.writes);
    if (writes(event.op())) need(i, location.reads);
    if (reads(event.op())) location.reads[event.thread] = i;
    if (writes(event.op())) location.writes[event.thread] = i;
  }

  void arrive(uint32_t i, const Event& event, Thread& thread) {
    std::vector<Generation>& all = barriers_[event.object];
    if (all.empty() || !all.back().departures.empty()) all.emplace_back();
    all.back().arrivals.push_back(i);
    thread.barrier = {event.object, all.size() - 1};
    // The generation before is complete when the first of it has gone on.
    pending_.push_back({i, event.object, all.size() - 1});
  }

  void leave_barrier(uint32_t i, Thread& thread) {
    Generation& generation = barriers_[thread.barrier->first][thread.barrier->second];
    for (const uint32_t arrival : generation.arrivals) {
      if (trace_.events[arrival].thread != trace_.events[i].thread) need(i, arrival);
    }
    generation.departures.push_back(i);
    thread.barrier.reset();
  }

 public:
  // Departures may come after later arrivals, so this is done at the end.
  void order_generations() {
    for (const auto& [arrival, barrier, generation] : pending_) {
      if (generation == 0) continue;
      rules_.rules_[arrival].one_of = barriers_[barrier][generation - 1].departures;
    }
  }

 private:
  struct Arrival {
    uint32_t event;
    uint32_t barrier;
    size_t generation;
  };

  const Trace& trace_;
  ReorderingRules& rules_;
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::vector<Volatile> volatiles_;
  std::vector<std::vector<Generation>> barriers_;
  std::vector<Arrival> pending_;
};

// What the model of the trace says binds its steps.
class CorrectReorderingRules {
 public:
  CorrectReorderingRules(const Trace& trace, ReorderingRules& rules)
      : trace_(trace), rules_(rules), model_(trace) {}

  void build() {
    for (ThreadId thread = 0; thread < model_.thread_count(); ++thread) {
      for (const Model::Need& need : model_.needs(thread)) {
        const uint64_t event = model_.nodes(thread)[need.place].index;
        rules_.rules_[event].needs.push_back(index_of(need.step));
        if (need.heard) {
          rules_.rules_[index_of(need.step)].needs.push_back(index_of({thread, need.place - 1}));
        }
      }
      for (const Model::Node& node : model_.nodes(thread)) add(node);
    }
  }

 private:
  uint32_t index_of(Step step) const {
    return step == kNoStep ? kNoEvent : static_cast<uint32_t>(model_.node(step).index);
  }

  void add(const Model::Node& node) {
    ReorderingRules::Rule& rule = rules_.rules_[node.index];
    const Op op = trace_.events[node.index].op();
    switch (node.kind) {
      case Model::Kind::acquire:
        (node.takes_back ? rule.takes_back : rule.takes) = node.object;
        if (!node.takes_back) rule.shared = node.shared;
        break;
      case Model::Kind::release:
        rule.gives = node.object;
        rule.shared = op == Op::rrel;
        break;
      case Model::Kind::read:
      case Model::Kind::write:
      case Model::Kind::read_write:
        rule.location = node.object;
        rule.reads = reads(op);
        rule.writes = writes(op);
        rule.writer = index_of(node.writer);
        break;
      case Model::Kind::other:
        break;
    }
  }

  const Trace& trace_;
  ReorderingRules& rules_;
  const Model model_;
};

ReorderingRules::ReorderingRules(const Trace& trace, Equivalence equivalence)
    : trace_(trace),
      correct_reordering_(equivalence == Equivalence::correct_reordering),
      threads_(trace.symbols->names(Space::thread).size()),
      place_(trace.events.size()),
      rules_(trace.events.size()) {
  for (uint32_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].op() == Op::skip) continue;
    std::vector<uint32_t>& own = threads_[trace.events[i].thread];
    place_[i] = static_cast<uint32_t>(own.size());
    own.push_back(i);
    ++events_;
  }
  if (correct_reordering_) {
    locations_ = trace.symbols->names(Space::location).size();
    locks_ = trace.symbols->names(Space::lock).size();
    CorrectReorderingRules(trace, *this).build();
  } else {
    HappensBeforeRules rules(trace, *this);
    rules.build();
    rules.order_generations();
  }
}

ReorderingState ReorderingRules::start() const {
  return {std::vector<uint32_t>(threads_.size()), std::vector<uint32_t>(locations_, kNoEvent),
          std::vector<uint32_t>(locks_), std::vector<uint32_t>(locks_)};
}

bool ReorderingRules::is_done(const ReorderingState& state, uint32_t event) const {
  return place_[event] < state.done[trace_.events[event].thread];
}

bool ReorderingRules::is_enabled(const ReorderingState& state, uint32_t event) const {
  const Rule& rule = rules_[event];
  const auto done = [&](uint32_t earlier) { return is_done(state, earlier); };
  if (!std::all_of(rule.needs.begin(), rule.needs.end(), done)) return false;
  if (!rule.one_of.empty() && std::none_of(rule.one_of.begin(), rule.one_of.end(), done)) {
    return false;
  }
  if (!correct_reordering_) return true;
  const auto is_free = [&](uint32_t lock, bool shared) {
    return state.owned[lock] == 0 && (shared || state.readers[lock] == 0);
  };
  if (rule.takes != kNoEvent && !is_free(rule.takes, rule.shared)) return false;
  if (rule.takes_back != kNoEvent && !is_free(rule.takes_back, false)) return false;
  return !rule.reads || state.last_write[rule.location] == rule.writer;
}

uint32_t ReorderingRules::next_enabled(const ReorderingState& state, uint32_t after) const {
  uint32_t best = kNoEvent;
  for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
    if (state.done[thread] == threads_[thread].size()) continue;
    const uint32_t event = threads_[thread][state.done[thread]];
    if ((after == kNoEvent || event > after) && event < best && is_enabled(state, event)) {
      best = event;
    }
  }
  return best;
}

uint32_t ReorderingRules::apply(ReorderingState& state, uint32_t event) const {
  ++state.done[trace_.events[event].thread];
  if (!correct_reordering_) return kNoEvent;
  const Rule& rule = rules_[event];
  if (rule.takes_back != kNoEvent) state.owned[rule.takes_back] = 1;
  if (rule.takes != kNoEvent) ++(rule.shared ? state.readers : state.owned)[rule.takes];
  if (rule.gives != kNoEvent) --(rule.shared ? state.readers : state.owned)[rule.gives];
  if (!rule.writes) return kNoEvent;
  return std::exchange(state.last_write[rule.location], event);
}

void ReorderingRules::undo(ReorderingState& state, uint32_t event, uint32_t former_write) const {
  --state.done[trace_.events[event].thread];
  if (!correct_reordering_) return;
  const Rule& rule = rules_[event];
  if (rule.writes) state.last_write[rule.location] = former_write;
  if (rule.gives != kNoEvent) ++(rule.shared ? state.readers : state.owned)[rule.gives];
  if (rule.takes != kNoEvent) --(rule.shared ? state.readers : state.owned)[rule.takes];
  if (rule.takes_back != kNoEvent) state.owned[rule.takes_back] = 0;
}

}  // namespace foretrace::programs
