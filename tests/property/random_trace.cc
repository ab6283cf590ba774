#include "property/random_trace.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <stdexcept>

#include "trace/format.h"

namespace foretrace::testing {
namespace {

// The kinds of moves, the simplest first: numbers shrink towards 0. Accesses,
// acquires and releases stand several times, to be chosen more often.
enum class Kind {
  read,
  write,
  read_again,
  write_again,
  read_too,
  write_too,
  acquire,
  release,
  acquire_again,
  release_again,
  release_too,
  fork,
  join,
  begin,
  end,
  volatile_read,
  volatile_write,
  read_modify_write,
  relaxed_read,
  relaxed_write,
  relaxed_update,
  acquire_for_reading,
  wait,
  notify,
  notify_all,
  barrier,
  alloc,
  free,
};
constexpr uint32_t kKinds = static_cast<uint32_t>(Kind::free) + 1;

std::string name_from(std::string_view letters, uint32_t index) {
  std::string name(1, letters[index % letters.size()]);
  const size_t round = index / letters.size();
  return round == 0 ? name : name + std::to_string(round);
}

// Turns moves into text, with just enough state to know what is possible.
class Interpreter {
 public:
  explicit Interpreter(const RandomTraceOptions& options)
      : options_(options), threads_(options.threads), locks_(options.locks) {}

  std::string run(const std::vector<Move>& moves) {
    text_ = "# a random trace\n";
    if (options_.sets) text_ += "set a x y\nset b z v\nunit u a\nunit w a b\n";
    for (const Move& move : moves) step(move);
    return text_;
  }

 private:
  static constexpr uint32_t kNobody = UINT32_MAX;
  struct Held {
    uint32_t lock;
    bool shared;
    uint32_t depth;
  };
  struct Thread {
    bool seen = false;
    bool forked = false;
    bool joined = false;
    std::optional<Held> waits_for;
    bool resumes = false;  // its next event is the first after a wait
    std::vector<Held> held;
    std::vector<uint32_t> units;
  };
  struct Lock {
    uint32_t owner = kNobody;
    uint32_t readers = 0;
  };

  void step(const Move& move) {
    me_ = move.thread % options_.threads;
    detail_ = move.detail;
    // Every second thread is not there from the start: its first move makes
    // another thread fork it.
    const bool needs_fork = options_.forks && me_ % 2 == 1 && !threads_[me_].forked;
    const uint32_t child = me_;
    if (needs_fork) me_ = move.object % options_.threads;
    Thread& thread = threads_[me_];
    if (thread.joined || (needs_fork && me_ % 2 == 1 && !thread.forked)) return;
    if (!resume(thread)) return;
    if (needs_fork) return fork(child);
    act(static_cast<Kind>(move.kind % kKinds), move.object, thread);
  }

  // A thread that waits goes on if its lock is free: with an acquire of its
  // own, or with whatever it does next.
  bool resume(Thread& thread) {
    if (!thread.waits_for) return true;
    Lock& lock = locks_[thread.waits_for->lock];
    if (lock.owner != kNobody || lock.readers > 0) return false;
    lock.owner = me_;
    thread.held.push_back(*thread.waits_for);
    thread.waits_for.reset();
    thread.resumes = true;
    if (detail_ % 2 == 0) return true;
    put("acq", lock_name(thread.held.back().lock));
    return false;
  }

  void act(Kind kind, uint32_t object, Thread& thread) {
    switch (kind) {
      case Kind::read:
      case Kind::read_again:
      case Kind::read_too:
        return access("rd", object, false);
      case Kind::write:
      case Kind::write_again:
      case Kind::write_too:
        return access("wr", object, false);
      case Kind::acquire:
      case Kind::acquire_again:
        return acquire(object, thread, false);
      case Kind::release:
      case Kind::release_again:
      case Kind::release_too:
        return release(thread);
      case Kind::fork:
        return fork(object);
      case Kind::join:
        return join(object);
      case Kind::begin:
        if (!options_.units || thread.units.size() >= 3) return;
        thread.units.push_back(object % 2);
        return put("beg", unit_name(object % 2));
      case Kind::end:
        if (thread.units.empty()) return;
        put("end", unit_name(thread.units.back()));
        return thread.units.pop_back();
      case Kind::volatile_read:
        return access("vrd", object, true);
      case Kind::volatile_write:
        return access("vwr", object, true);
      case Kind::read_modify_write:
        return access("vrmw", object, true);
      case Kind::relaxed_read:
        return access("ard", object, true);
      case Kind::relaxed_write:
        return access("awr", object, true);
      case Kind::relaxed_update:
        return access("armw", object, true);
      case Kind::acquire_for_reading:
        return acquire(object, thread, true);
      case Kind::wait:
        return wait(thread);
      case Kind::notify:
        return options_.waits ? put("notify", some_lock(object)) : void();
      case Kind::notify_all:
        return options_.waits ? put("notifyall", some_lock(object)) : void();
      case Kind::barrier:
        return options_.barriers ? put("barrier", "b") : void();
      case Kind::alloc:
        return options_.objects ? put("alloc", name_from("op", object % 2)) : void();
      case Kind::free:
        return options_.objects ? put("free", name_from("op", object % 2)) : void();
    }
  }

  void access(std::string_view op, uint32_t object, bool is_volatile) {
    if (is_volatile && !options_.volatiles) return;
    if (options_.mixed && detail_ % 2 == 1) is_volatile = false;
    const uint32_t count = is_volatile ? 2 : options_.locations;
    const std::string location =
        is_volatile ? name_from("v", object % count) : name_from("xyz", object % count);
    std::string rest = location;
    if (options_.values) {
      // The value of each location, if the trace tells it; volatile ones last.
      values_.resize(options_.locations + 2, 0);
      std::optional<int64_t>& value =
          values_[is_volatile ? options_.locations + object % count : object % count];
      const bool writes = op == "wr" || op == "vwr" || op == "awr";
      if (writes) {
        value.reset();
        if (detail_ % 4 != 0) value = written_value();
      } else if (op == "vrmw" || op == "armw") {
        value.reset();
      }
      const bool told = writes || detail_ % 4 != 0;
      if (value && told) rest += fmt::format(" {}", *value);
    }
    put(op, rest);
  }

  int64_t written_value() const {
    if (detail_ % 16 == 15) return int64_t{INT64_MIN} + detail_;  // one that needs 64 bits
    return static_cast<int64_t>(detail_ / 4) - 5;
  }

  void acquire(uint32_t object, Thread& thread, bool shared) {
    const uint32_t lock = object % options_.locks;
    if (shared && !options_.locks_for_reading) return;
    const auto mine = std::find_if(thread.held.begin(), thread.held.end(),
                                   [&](const Held& held) { return held.lock == lock; });
    if (mine != thread.held.end()) {
      // After a wait, an acquire of its lock would not be re-entrant.
      if (!options_.reentrant || mine->shared != shared || thread.resumes) return;
      ++mine->depth;
    } else {
      Lock& state = locks_[lock];
      if (thread.held.size() >= options_.nesting || state.owner != kNobody) return;
      if (!shared && state.readers > 0) return;
      if (shared) {
        ++state.readers;
      } else {
        state.owner = me_;
      }
      thread.held.push_back({lock, shared, 1});
    }
    put(shared ? "racq" : "acq", lock_name(lock));
  }

  void release(Thread& thread) {
    if (thread.held.empty()) return;
    Held& top = thread.held.back();
    put(top.shared ? "rrel" : "rel", lock_name(top.lock));
    if (--top.depth > 0) return;
    if (top.shared) {
      --locks_[top.lock].readers;
    } else {
      locks_[top.lock].owner = kNobody;
    }
    thread.held.pop_back();
  }

  void wait(Thread& thread) {
    if (!options_.waits || thread.held.empty() || thread.held.back().shared) return;
    thread.waits_for = thread.held.back();
    thread.held.pop_back();
    locks_[thread.waits_for->lock].owner = kNobody;
    put("wait", lock_name(thread.waits_for->lock));
  }

  void fork(uint32_t object) {
    const uint32_t child = object % options_.threads;
    const Thread& thread = threads_[child];
    if (!options_.forks || child == me_ || thread.seen || thread.forked || thread.joined) return;
    threads_[child].forked = true;
    put("fork", thread_name(child));
  }

  void join(uint32_t object) {
    const uint32_t child = object % options_.threads;
    Thread& thread = threads_[child];
    if (!options_.forks || child == me_ || thread.joined || thread.waits_for) return;
    if (!thread.held.empty() || !thread.units.empty()) return;
    thread.joined = true;
    put("join", thread_name(child));
  }

  static std::string thread_name(uint32_t thread) { return std::to_string(thread + 1); }
  static std::string unit_name(uint32_t unit) { return name_from("uw", unit); }
  static std::string lock_name(uint32_t lock) { return name_from("lmn", lock); }
  std::string some_lock(uint32_t object) const { return lock_name(object % options_.locks); }

  void put(std::string_view op, std::string_view rest) {
    threads_[me_].seen = true;
    threads_[me_].resumes = false;
    text_ += fmt::format("{} {} {}", op, thread_name(me_), rest);
    if (options_.sites && detail_ % 3 != 0) {
      text_ += detail_ % 3 == 1 ? fmt::format(" @ {}", 1 + detail_ % 50)
                                : fmt::format(" @ src/a{}.cc:{}:7", detail_ % 2, 1 + detail_ % 50);
    }
    text_ += '\n';
  }

  const RandomTraceOptions& options_;
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::vector<std::optional<int64_t>> values_;
  uint32_t me_ = 0;
  uint32_t detail_ = 0;
  std::string text_;
};

}  // namespace

std::string tiddle_of(const std::vector<Move>& moves, const RandomTraceOptions& options) {
  return Interpreter(options).run(moves);
}

std::ostream& operator<<(std::ostream& out, const RandomTrace& trace) {
  return out << "\n" << trace.tiddle;
}

rc::Gen<std::vector<Move>> random_moves(const RandomTraceOptions& options) {
  const auto number = [](uint32_t end) { return rc::gen::inRange<uint32_t>(0, end); };
  const auto of_units =
      rc::gen::map(rc::gen::elementOf(std::vector<Kind>{
                       Kind::read, Kind::write, Kind::acquire, Kind::acquire, Kind::acquire,
                       Kind::release, Kind::release, Kind::release, Kind::release, Kind::begin,
                       Kind::begin, Kind::end, Kind::end}),
                   [](Kind kind) { return static_cast<uint32_t>(kind); });
  const auto of_waits = rc::gen::map(
      rc::gen::elementOf(std::vector<Kind>{Kind::read, Kind::write, Kind::acquire, Kind::acquire,
                                           Kind::acquire, Kind::release, Kind::release, Kind::wait,
                                           Kind::wait, Kind::notify, Kind::notify}),
      [](Kind kind) { return static_cast<uint32_t>(kind); });
  const auto any = number(kKinds);
  const auto mostly = [&](const rc::Gen<uint32_t>& those) {
    return rc::gen::weightedOneOf<uint32_t>({{3, those}, {1, any}});
  };
  const rc::Gen<uint32_t> kind = options.mostly_units   ? mostly(of_units)
                                 : options.mostly_waits ? mostly(of_waits)
                                                        : any;
  const auto move = rc::gen::build<Move>(
      rc::gen::set(&Move::kind, kind), rc::gen::set(&Move::thread, number(options.threads)),
      rc::gen::set(&Move::object, number(12)), rc::gen::set(&Move::detail, number(64)));
  return rc::gen::scale(options.length, rc::gen::container<std::vector<Move>>(move));
}

rc::Gen<RandomTrace> random_trace(const RandomTraceOptions& options) {
  return rc::gen::map(random_moves(options), [options](const std::vector<Move>& moves) {
    RandomTrace random;
    random.tiddle = tiddle_of(moves, options);
    Result<std::unique_ptr<ByteSource>> source = memory_input("random trace", random.tiddle);
    Result<Trace> trace = load_trace(open_trace(std::move(source.value()), "tiddle").value());
    // The generator promises well-formed traces: its own fault, not a finding.
    if (!trace) throw std::logic_error(trace.error().message + "\n" + random.tiddle);
    random.trace = std::move(*trace);
    return random;
  });
}

}  // namespace foretrace::testing
