#include "programs/java_helpers.h"

#include <fmt/format.h>

namespace foretrace::programs {
namespace {

constexpr std::string_view kLockstep = R"(
// Lockstep: operation n of the trace begins when all operations before it are
// done. A tool that looks at the program should ignore calls of step, finish and
// waitUntilStep.
private static final Object turn_changed = new Object();
private static int turn = 0; // the operation that is next, or under way
private static final ThreadLocal<Boolean> busy = ThreadLocal.withInitial(() -> false);

// This thread's operation is done, and the next one may begin.
static void finish() {
    synchronized (turn_changed) {
        if (busy.get()) {
            busy.set(false);
            turn++;
            turn_changed.notifyAll();
        }
    }
}

// The next operation of this thread is operation `number` of the trace.
static void step(int number) {
    finish();
    synchronized (turn_changed) {
        while (turn != number) {
            pause(turn_changed, 0);
        }
        busy.set(true);
    }
}
)";

constexpr std::string_view kIsNext = R"(
static boolean isNext(int number) {
    synchronized (turn_changed) {
        return turn == number;
    }
}
)";

constexpr std::string_view kMonitorWaitInStep = R"(
// Waits on `monitor`, and goes on when operation `number` is next.
static void waitUntilStep(int number, Object monitor) {
    finish();
    while (!isNext(number)) {
        pause(monitor, 1);
    }
}
)";

constexpr std::string_view kConditionWaitInStep = R"(
// Waits on `changed`, and goes on when operation `number` is next.
static void waitUntilStep(int number, Condition changed) {
    finish();
    while (!isNext(number)) {
        pause(changed);
    }
}
)";

constexpr std::string_view kMonitorPause = R"(
// The caller holds the monitor.
static void pause(Object monitor, long milliseconds) {
    try {
        monitor.wait(milliseconds);
    } catch (InterruptedException e) {
        throw new IllegalStateException(e);
    }
}
)";

constexpr std::string_view kConditionPause = R"(
// The caller holds the lock.
static void pause(Condition changed) {
    try {
        changed.await(1, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
        throw new IllegalStateException(e);
    }
}
)";

constexpr std::string_view kJoin = R"(
static void join(Thread thread) {
    try {
        thread.join();
    } catch (InterruptedException e) {
        throw new IllegalStateException(e);
    }
}
)";

constexpr std::string_view kSleep = R"(
private static final long start = System.nanoTime();

// Sleeps until it is about time for operation `number` of the trace.
static void pause(int number) {
    try {
        Thread.sleep(Math.max(0, number * 2L - (System.nanoTime() - start) / 1_000_000));
    } catch (InterruptedException e) {
        throw new IllegalStateException(e);
    }
}
)";

constexpr std::string_view kArrive = R"(
static void arrive(CyclicBarrier barrier) {{
    try {{{}
        barrier.await();
    }} catch (InterruptedException | BrokenBarrierException e) {{
        throw new IllegalStateException(e);
    }}
}}
)";

constexpr std::string_view kUse = R"(
// Something that is done with what was read.
static void use(long value) {
}
)";

constexpr std::string_view kExpect = R"(
// Nothing keeps the operations in the order of the trace: a read may see another
// value than it did there.
static void expect(long value, long inTrace, String location) {
    if (value != inTrace) {
        System.err.println(location + " is " + value + ", not " + inTrace + " as in the trace");
    }
}
)";

constexpr std::string_view kAtomic = R"(
// Should run as if nothing else did.
@interface Atomic {
    String value();
}
)";

// What the programs need beside themselves.
class Needs {
 public:
  Needs(const std::vector<Program>& programs, const ProgramOptions& options) : options_(options) {
    for (const Program& program : programs) look_at(program);
  }

  std::string imports() const {
    std::string text;
    const auto import = [&](bool needed, std::string_view name) {
      if (needed) text += fmt::format("import java.util.concurrent.{};\n", name);
    };
    import(barriers_, "BrokenBarrierException");
    import(barriers_, "CyclicBarrier");
    import(condition_waits_, "TimeUnit");
    import(atomics_, "atomic.AtomicInteger");
    import(wide_atomics_, "atomic.AtomicLong");
    import(conditions_ || condition_waits_, "locks.Condition");
    import(locks_, "locks.ReentrantLock");
    import(shared_, "locks.ReentrantReadWriteLock");
    return text.empty() ? text : text + "\n";
  }

  std::string helpers() const {
    std::string text;
    if (lockstep_) text += kLockstep;
    if (lockstep_ && (monitor_waits_ || condition_waits_)) text += kIsNext;
    if (lockstep_ && monitor_waits_) text += kMonitorWaitInStep;
    if (lockstep_ && condition_waits_) text += kConditionWaitInStep;
    if (lockstep_ || monitor_waits_) text += kMonitorPause;
    if (condition_waits_) text += kConditionPause;
    if (options_.schedule == Schedule::sleep) text += kSleep;
    if (joins_) text += kJoin;
    if (barriers_) {
      text +=
          fmt::format(kArrive, lockstep_ ? "\n        finish(); // the next arrival may come" : "");
    }
    if (uses_) text += kUse;
    if (expects_ && !lockstep_) text += kExpect;
    if (units_ && options_.unit_methods) text += kAtomic;
    return text;
  }

 private:
  void look_at(const Program& program) {
    for (const Program::Location& location : program.locations) {
      (location.wide ? wide_atomics_ : atomics_) |= location.updated;
    }
    for (const Program::Lock& lock : program.locks) {
      if (!lock.used) continue;
      atomics_ |= lock.notified_outside && !lockstep_;
      const bool monitor = lock.scoped && !lock.shared;
      (monitor ? monitor_waits_ : condition_waits_) |= lock.waited;
      conditions_ |= !monitor && (lock.waited || lock.notifies);
      locks_ |= !lock.scoped && !lock.shared;
      shared_ |= lock.shared;
    }
    barriers_ |= !program.barriers.empty();
    for (const Action& action : program.actions) {
      const Op op = action.operation.op;
      joins_ |= op == Op::join;
      units_ |= op == Op::beg;
      if (!reads(op) || writes(op)) continue;
      const bool awaited = action.awaited && !lockstep_;
      expects_ |= action.expected && !awaited;
      uses_ |= !action.expected && !awaited;
    }
  }

  const ProgramOptions& options_;
  const bool lockstep_ = options_.schedule == Schedule::lockstep;
  bool barriers_ = false, atomics_ = false, wide_atomics_ = false, conditions_ = false;
  bool locks_ = false, shared_ = false, monitor_waits_ = false, condition_waits_ = false;
  bool joins_ = false, uses_ = false, expects_ = false, units_ = false;
};

}  // namespace

JavaHelpers java_helpers(const std::vector<Program>& programs, const ProgramOptions& options) {
  const Needs needs(programs, options);
  return {needs.imports(), needs.helpers()};
}

}  // namespace foretrace::programs
