#include "order/model.h"

#include <algorithm>

#include <tsl/robin_map.h>

#include "base/hash.h"

namespace foretrace {
namespace {

Model::Kind kind_of(Op op) {
  switch (op) {
    case Op::rd:
    case Op::vrd:
    case Op::ard:
      return Model::Kind::read;
    case Op::wr:
    case Op::vwr:
    case Op::awr:
      return Model::Kind::write;
    case Op::vrmw:
    case Op::armw:
      return Model::Kind::read_write;
    case Op::acq:
    case Op::racq:
      return Model::Kind::acquire;
    case Op::rel:
    case Op::rrel:
    case Op::wait:
      return Model::Kind::release;
    default:
      return Model::Kind::other;
  }
}

// The entry of `thread` in a list of per-thread lists; made if it is missing.
template <typename Entry>
Entry& of_thread(std::vector<Entry>& entries, ThreadId thread) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.thread == thread; });
  if (found != entries.end()) return *found;
  entries.push_back({thread, {}});
  return entries.back();
}

}  // namespace

class ModelBuilder {
 public:
  ModelBuilder(const Trace& trace, Model& model) : trace_(trace), model_(model) {
    const Symbols& symbols = *trace.symbols;
    model_.threads_.resize(symbols.names(Space::thread).size());
    model_.needs_.resize(model_.threads_.size());
    model_.thread_needs_.resize(model_.threads_.size());
    model_.open_.resize(model_.threads_.size());
    model_.open_since_.resize(model_.threads_.size());
    model_.sections_.resize(symbols.names(Space::lock).size());
    model_.writes_.resize(symbols.names(Space::location).size());
    model_.steps_.resize(trace.events.size());
    last_write_.resize(model_.writes_.size(), kNoStep);
    threads_.resize(model_.threads_.size());
    barriers_.resize(symbols.names(Space::barrier).size());
    waits_.resize(model_.sections_.size());
  }

  void build() {
    std::vector<size_t> counts(model_.threads_.size());
    for (const Event& event : trace_.events) {
      // An event that ends a wait is two steps.
      if (event.op() != Op::skip) counts[event.thread] += event.resumes != 0 ? 2 : 1;
    }
    for (size_t t = 0; t < counts.size(); ++t) model_.threads_[t].reserve(counts[t]);
    for (uint64_t index = 0; index < trace_.events.size(); ++index) {
      if (trace_.events[index].op() != Op::skip) add(index, trace_.events[index]);
    }
    for (std::vector<Model::Need>& needs : model_.needs_) {
      std::stable_sort(needs.begin(), needs.end(), [](const Model::Need& a, const Model::Need& b) {
        return a.place < b.place;
      });
    }
  }

 private:
  struct Wait {
    ThreadId thread;
    std::vector<Step> notifies;  // that came since it began
  };
  struct Thread {
    Step fork = kNoStep;
    bool waiting = false;
    LockId wait_lock = 0;
    bool at_barrier = false;
    uint32_t barrier = 0;
    uint32_t generation = 0;
    uint32_t top = Model::kNever;  // of its open sections
  };
  struct Barrier {
    std::vector<std::vector<Step>> generations;  // arrivals
    bool open = false;                           // nobody has left the last one
  };

  uint32_t size(ThreadId thread) const {
    return static_cast<uint32_t>(model_.threads_[thread].size());
  }

  Step push(ThreadId thread, uint64_t index, Model::Kind kind, uint32_t object) {
    const Step step = {thread, size(thread)};
    model_.threads_[thread].push_back({index, object, Model::kNever, kind, false, false, kNoStep});
    return step;
  }
  void need(Step step, Step needed, bool heard = false) {
    if (step.thread == needed.thread) return;
    model_.needs_[step.thread].push_back({step.place, needed, heard});
    raise(step, needed);
  }
  void read_from(Step step, Step writer) {
    model_.threads_[step.thread][step.place].writer = writer;
    if (writer != kNoStep && writer.thread != step.thread) raise(step, writer);
  }
  void raise(Step step, Step needed) {
    std::vector<Model::ThreadNeeds>& all = model_.thread_needs_[step.thread];
    const auto [entry, fresh] = thread_needs_.try_emplace(
        uint64_t{step.thread} << 32 | needed.thread, static_cast<uint32_t>(all.size()));
    if (fresh) all.push_back({needed.thread, {}});
    std::vector<Model::Rise>& rises = all[entry->second].rises;
    const uint32_t count = needed.place + 1;
    if (!rises.empty() && rises.back().count >= count) return;
    if (!rises.empty() && rises.back().place == step.place) {
      rises.back().count = count;
    } else {
      rises.push_back({step.place, count});
    }
  }

  void add(uint64_t index, const Event& event) {
    Thread& thread = threads_[event.thread];
    if (event.resumes != 0 && thread.waiting) end_wait(index, event, thread);
    const bool is_reacquire = taken_back_;
    taken_back_ = false;
    const Step step = is_reacquire ? Step{event.thread, size(event.thread) - 1}
                                   : push(event.thread, index, kind_of(event.op()), event.object);
    model_.steps_[index] = step;
    if (step.place == 0 && thread.fork != kNoStep) need(step, thread.fork);
    if (event.resumes != 0 && thread.at_barrier) end_barrier(step, thread);
    if (!is_reacquire) add_operation(event, step, thread);
  }

  // Taking the lock back is a step of its own, unless the event is that acquire.
  void end_wait(uint64_t index, const Event& event, Thread& thread) {
    thread.waiting = false;
    const LockId lock = thread.wait_lock;
    const Step step = push(event.thread, index, Model::Kind::acquire, lock);
    begin_section(step, lock, false);
    const auto wait = std::find_if(waits_[lock].begin(), waits_[lock].end(),
                                   [&](const Wait& w) { return w.thread == event.thread; });
    for (const Step& notify : wait->notifies) need(step, notify, true);
    waits_[lock].erase(wait);
    taken_back_ = event.op() == Op::acq && event.object == lock;
    model_.threads_[step.thread][step.place].takes_back = !taken_back_;
  }

  void end_barrier(Step step, Thread& thread) {
    thread.at_barrier = false;
    Barrier& barrier = barriers_[thread.barrier];
    if (thread.generation + 1 == barrier.generations.size()) barrier.open = false;
    for (const Step& arrival : barrier.generations[thread.generation]) need(step, arrival);
  }

  void add_operation(const Event& event, Step step, Thread& thread) {
    switch (event.op()) {
      case Op::rd:
      case Op::vrd:
      case Op::ard:
        read_from(step, last_write_[event.object]);
        break;
      case Op::vrmw:
      case Op::armw:
        read_from(step, last_write_[event.object]);
        [[fallthrough]];
      case Op::wr:
      case Op::vwr:
      case Op::awr:
        last_write_[event.object] = step;
        of_thread(model_.writes_[event.object], event.thread).places.push_back(step.place);
        break;
      case Op::acq:
      case Op::racq:
        begin_section(step, event.object, event.op() == Op::racq);
        break;
      case Op::wait:
        thread.waiting = true;
        thread.wait_lock = event.object;
        waits_[event.object].push_back({event.thread, {}});
        [[fallthrough]];
      case Op::rel:
      case Op::rrel:
        end_section(step, event.object, event.op() == Op::rrel);
        break;
      case Op::fork:
        threads_[event.object].fork = step;
        break;
      case Op::join:
        add_join(event, step);
        break;
      case Op::notify:
      case Op::notifyall:
        for (Wait& wait : waits_[event.object]) wait.notifies.push_back(step);
        break;
      case Op::barrier:
        arrive(event, step, thread);
        break;
      default:
        break;
    }
  }

  void add_join(const Event& event, Step step) {
    if (const uint32_t steps = size(event.object); steps > 0) {
      need(step, {event.object, steps - 1});
    } else if (threads_[event.object].fork != kNoStep) {
      need(step, threads_[event.object].fork);
    }
  }

  void arrive(const Event& event, Step step, Thread& thread) {
    Barrier& barrier = barriers_[event.object];
    if (!barrier.open) {
      barrier.generations.emplace_back();
      barrier.open = true;
    }
    const size_t generation = barrier.generations.size() - 1;
    if (generation > 0) {
      for (const Step& before : barrier.generations[generation - 1]) need(step, before);
    }
    barrier.generations[generation].push_back(step);
    thread.at_barrier = true;
    thread.barrier = event.object;
    thread.generation = static_cast<uint32_t>(generation);
  }

  void begin_section(Step step, LockId lock, bool shared) {
    auto& list = of_thread(model_.sections_[lock], step.thread).sections;
    model_.threads_[step.thread][step.place].shared = shared;
    list.push_back({step.place, Model::kNever, shared});
    push_open(step.thread, step.place);
    model_.open_since_[step.thread].push_back({step.place, top_of(step.thread)});
  }

  void end_section(Step step, LockId lock, bool shared) {
    auto& list = of_thread(model_.sections_[lock], step.thread).sections;
    // The thread holds the lock, so its last section of that kind is open.
    for (auto section = list.rbegin(); section != list.rend(); ++section) {
      if (section->end != Model::kNever || section->shared != shared) continue;
      section->end = step.place;
      model_.threads_[step.thread][section->begin].partner = step.place;
      close_open(step, section->begin);
      return;
    }
  }

  uint32_t& top_of(ThreadId thread) { return threads_[thread].top; }
  void push_open(ThreadId thread, uint32_t acquire) {
    std::vector<Model::OpenSection>& open = model_.open_[thread];
    open.push_back({acquire, top_of(thread)});
    top_of(thread) = static_cast<uint32_t>(open.size() - 1);
  }
  // Takes the section out of the list. Those that began after it, if sections do
  // not nest, are put on what is left.
  void close_open(Step step, uint32_t acquire) {
    const std::vector<Model::OpenSection>& open = model_.open_[step.thread];
    std::vector<uint32_t> above;
    uint32_t at = top_of(step.thread);
    for (; open[at].acquire != acquire; at = open[at].below) above.push_back(open[at].acquire);
    top_of(step.thread) = open[at].below;
    for (auto one = above.rbegin(); one != above.rend(); ++one) push_open(step.thread, *one);
    model_.open_since_[step.thread].push_back({step.place, top_of(step.thread)});
  }

  const Trace& trace_;
  Model& model_;
  std::vector<Step> last_write_;
  std::vector<Thread> threads_;
  std::vector<Barrier> barriers_;
  std::vector<std::vector<Wait>> waits_;                          // by lock: who waits
  tsl::robin_map<uint64_t, uint32_t, IntegerHash> thread_needs_;  // by two threads: the entry
  bool taken_back_ = false;  // the event at hand is itself the acquire that ends a wait
};

Model::Model(const Trace& trace) { ModelBuilder(trace, *this).build(); }

std::span<const Model::Need> Model::needs(ThreadId thread, uint32_t begin, uint32_t end) const {
  const std::vector<Need>& all = needs_[thread];
  const auto first = [&](uint32_t place) {
    return std::partition_point(all.begin(), all.end(),
                                [&](const Need& need) { return need.place < place; });
  };
  return {first(begin), first(end)};
}

uint32_t Model::ThreadNeeds::of_first(uint32_t length) const {
  const auto end = std::partition_point(rises.begin(), rises.end(),
                                        [&](const Rise& rise) { return rise.place < length; });
  return end == rises.begin() ? 0 : (end - 1)->count;
}

std::vector<uint32_t> Model::open_acquires(ThreadId thread, uint32_t length) const {
  const std::vector<OpenSince>& since = open_since_[thread];
  const auto end = std::partition_point(since.begin(), since.end(),
                                        [&](const OpenSince& one) { return one.place < length; });
  std::vector<uint32_t> acquires;
  if (end == since.begin()) return acquires;
  for (uint32_t at = (end - 1)->top; at != kNever; at = open_[thread][at].below) {
    acquires.push_back(open_[thread][at].acquire);
  }
  return acquires;
}

}  // namespace foretrace
