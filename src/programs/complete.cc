#include "programs/complete.h"

#include <algorithm>

namespace foretrace::programs {
namespace {

constexpr std::string_view kMain = "main";

class Completion {
 public:
  explicit Completion(const Trace& trace) : trace_(trace) {
    const NameTable& names = trace.symbols->names(Space::thread);
    for (ThreadId thread = 0; thread < names.size(); ++thread) {
      result_.threads.emplace_back(names[thread]);
    }
    threads_.resize(result_.threads.size());
  }

  CompleteTrace run() {
    const std::vector<Operation> events = read_events();
    choose_main();
    for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
      if (is_root(thread) && thread != result_.main) add(result_.main, Op::fork, thread);
    }
    result_.operations.insert(result_.operations.end(), events.begin(), events.end());
    close_everything();
    add_joins();
    return std::move(result_);
  }

 private:
  struct Open {
    Op op;  // acq, racq or beg
    uint32_t object;
  };
  struct Thread {
    bool appears = false;
    bool forked = false;
    bool joined = false;
    std::vector<Open> open;  // outermost first
    std::optional<LockId> waits;
    bool paused = false;  // at a barrier
  };

  std::vector<Operation> read_events() {
    std::vector<Operation> events;
    for (const Event& event : trace_.events) {
      if (event.op() == Op::skip) continue;
      events.push_back({event.thread, event.op(), event.object, trace_.batch().value_of(event),
                        event.site, event.resumes != 0});
      follow(events.back());
    }
    return events;
  }

  void follow(const Operation& event) {
    Thread& thread = threads_[event.thread];
    thread.appears = true;
    thread.paused = false;
    if (event.resumes && thread.waits) {
      if (event.op != Op::acq || event.object != *thread.waits) {
        thread.open.push_back({Op::acq, *thread.waits});
      }
      thread.waits.reset();
    }
    switch (event.op) {
      case Op::acq:
      case Op::racq:
      case Op::beg:
        thread.open.push_back({event.op, event.object});
        break;
      case Op::rel:
      case Op::wait:
        close(thread, {Op::acq, event.object});
        if (event.op == Op::wait) thread.waits = event.object;
        break;
      case Op::rrel:
        close(thread, {Op::racq, event.object});
        break;
      case Op::end:
        close(thread, {Op::beg, event.object});
        break;
      case Op::barrier:
        thread.paused = true;
        break;
      case Op::fork:
        threads_[event.object].appears = threads_[event.object].forked = true;
        break;
      case Op::join:
        threads_[event.object].appears = threads_[event.object].joined = true;
        break;
      default:
        break;
    }
  }

  static void close(Thread& thread, const Open& what) {
    const auto last = std::find_if(thread.open.rbegin(), thread.open.rend(), [&](const Open& open) {
      return open.op == what.op && open.object == what.object;
    });
    if (last != thread.open.rend()) thread.open.erase(std::next(last).base());
  }

  bool is_root(ThreadId thread) const {
    return threads_[thread].appears && !threads_[thread].forked;
  }

  // The only thread that was there from the start is main; so is one with that
  // name. But main is not joined, and it must be able to wake those who wait.
  void choose_main() {
    std::vector<ThreadId> roots;
    for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
      if (is_root(thread)) roots.push_back(thread);
    }
    const auto named = std::find_if(roots.begin(), roots.end(),
                                    [&](ThreadId t) { return result_.threads[t] == kMain; });
    const auto chosen = named != roots.end() ? named
                        : roots.size() == 1  ? roots.begin()
                                             : roots.end();
    if (chosen != roots.end() && !threads_[*chosen].joined && !threads_[*chosen].waits) {
      result_.main = *chosen;
      return;
    }
    result_.main = static_cast<ThreadId>(threads_.size());
    result_.threads.emplace_back(kMain);
    threads_.emplace_back();
    threads_.back().forked = true;  // by the system
  }

  void add(ThreadId thread, Op op, uint32_t object, bool resumes = false) {
    result_.operations.push_back({thread, op, object, {}, kNoSite, resumes});
  }

  void close_everything() {
    for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
      if (!threads_[thread].waits) close_all_of(thread, threads_[thread].paused);
    }
    for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
      if (!threads_[thread].waits) continue;
      const LockId lock = *threads_[thread].waits;
      add(result_.main, Op::acq, lock);
      add(result_.main, Op::notifyall, lock);
      add(result_.main, Op::rel, lock);
      threads_[thread].open.push_back({Op::acq, lock});
      close_all_of(thread, true);
    }
  }

  void close_all_of(ThreadId thread, bool resumes) {
    std::vector<Open>& open = threads_[thread].open;
    for (; !open.empty(); open.pop_back(), resumes = false) {
      const Op op = open.back().op;
      add(thread,
          op == Op::acq    ? Op::rel
          : op == Op::racq ? Op::rrel
                           : Op::end,
          open.back().object, resumes);
    }
  }

  // A thread is joined after the one that forked it, which has done so by then.
  void add_joins() {
    const size_t count = result_.operations.size();
    for (size_t i = 0; i < count; ++i) {
      const Operation operation = result_.operations[i];
      if (operation.op != Op::fork || threads_[operation.object].joined) continue;
      add(result_.main, Op::join, operation.object);
    }
  }

  const Trace& trace_;
  CompleteTrace result_;
  std::vector<Thread> threads_;
};

}  // namespace

CompleteTrace complete(const Trace& trace) { return Completion(trace).run(); }

}  // namespace foretrace::programs
