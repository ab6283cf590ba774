#include "programs/cpp_prelude.h"

#include <fmt/format.h>

namespace foretrace::programs {
namespace {

constexpr std::string_view kAnnotations = R"(
#if __has_include(<foretrace/annotate.h>)
#include <foretrace/annotate.h>
#else  // the program is not recorded
#define FORETRACE_UNIT(label) ((void)0)
#define FORETRACE_HIDE_BEGIN() ((void)0)
#define FORETRACE_HIDE_END() ((void)0)
#define FORETRACE_WAIT_BEGIN(condition, mutex) ((void)0)
#define FORETRACE_WAIT_END(mutex) ((void)0)
#define FORETRACE_BARRIER(barrier) ((void)0)
#endif
)";

constexpr std::string_view kLockstep = R"(
// Lockstep: operation n of the trace begins when all operations before it are
// done. Foretrace's recorder does not see how: what happens in here is hidden.
std::mutex turn_mutex;
std::condition_variable turn_changed;
int turn = 0;                    // the operation that is next, or under way
thread_local bool busy = false;  // this thread is at its operation

// This thread's operation is done, and the next one may begin.
void finish() {
  FORETRACE_HIDE_BEGIN();
  if (busy) {
    const std::lock_guard<std::mutex> hold(turn_mutex);
    busy = false;
    ++turn;
    turn_changed.notify_all();
  }
  FORETRACE_HIDE_END();
}

// The next operation of this thread is operation `number` of the trace.
void step(int number) {
  FORETRACE_HIDE_BEGIN();
  finish();
  {
    std::unique_lock<std::mutex> hold(turn_mutex);
    turn_changed.wait(hold, [number] { return turn == number; });
    busy = true;
  }
  FORETRACE_HIDE_END();
}
)";

constexpr std::string_view kLockstepWait = R"(
bool is_next(int number) {
  const std::lock_guard<std::mutex> hold(turn_mutex);
  return turn == number;
}

// Waits on `changed`, and goes on when operation `number` is next. The caller
// holds `mutex`.
template <typename Condition, typename Mutex>
void wait_until_step(int number, Condition& changed, Mutex& mutex) {
  FORETRACE_WAIT_BEGIN(&changed, &mutex);
  FORETRACE_HIDE_BEGIN();
  std::unique_lock<Mutex> hold(mutex, std::adopt_lock);
  finish();
  while (!is_next(number)) changed.wait_for(hold, std::chrono::milliseconds(1));
  hold.release();
  FORETRACE_HIDE_END();
  FORETRACE_WAIT_END(&mutex);
}
)";

constexpr std::string_view kFreeWait = R"(
// Waits on `changed` until there have been `count` notifies. The caller holds
// `mutex`.
template <typename Condition, typename Mutex, typename Counter>
void wait(Condition& changed, Mutex& mutex, const Counter& notified, int count) {
  std::unique_lock<Mutex> hold(mutex, std::adopt_lock);
  while (notified < count) changed.wait(hold);
  hold.release();
}
)";

// Without the lock a notify may come between the look and the wait.
constexpr std::string_view kFreeWaitWithTimeout = R"(
// Waits on `changed` until there have been `count` notifies. The caller holds
// `mutex`; who notifies may not, so it looks again from time to time.
template <typename Condition, typename Mutex, typename Counter>
void wait(Condition& changed, Mutex& mutex, const Counter& notified, int count) {
  std::unique_lock<Mutex> hold(mutex, std::adopt_lock);
  while (notified < count) changed.wait_for(hold, std::chrono::milliseconds(1));
  hold.release();
}
)";

constexpr std::string_view kBarrier = R"(
// A barrier for a number of threads. Foretrace's recorder sees the arrivals, and
// not what the barrier is made of.
class Barrier {{
 public:
  explicit Barrier(int threads) : threads_(threads) {{}}

  void arrive_and_wait() {{
    FORETRACE_BARRIER(this);
    FORETRACE_HIDE_BEGIN();
    {{
      std::unique_lock<std::mutex> hold(mutex_);
      const int opened = opened_;
      if (++arrived_ == threads_) {{
        arrived_ = 0;
        ++opened_;
        changed_.notify_all();
      }}{}
      changed_.wait(hold, [this, opened] {{ return opened_ != opened; }});
    }}
    FORETRACE_HIDE_END();
  }}

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const int threads_;
  int arrived_ = 0;
  int opened_ = 0;  // how often
}};
)";

constexpr std::string_view kUse = R"(
// Keeps the compiler from leaving out a read.
template <typename Value>
void use(Value value) {
  asm volatile("" : : "r"(value));
}
)";

constexpr std::string_view kExpect = R"(
// Nothing keeps the operations in the order of the trace: a read may see another
// value than it did there.
template <typename Value>
void expect(Value value, Value in_trace, const char* location) {
  if (value == in_trace) return;
  const std::string words = std::string(location) + " is " + std::to_string(value) + ", not " +
                            std::to_string(in_trace) + " as in the trace\n";
  std::fputs(words.c_str(), stderr);
}
)";

constexpr std::string_view kSleep = R"(
// Sleeps until it is about time for operation `number` of the trace.
void pause(int number) {
  static const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_until(start + number * std::chrono::milliseconds(2));
}
)";

// What the programs need of the standard library and of the helpers above.
class Prelude {
 public:
  Prelude(const std::vector<Program>& programs, const ProgramOptions& options) : options_(options) {
    for (const Program& program : programs) look_at(program);
  }

  std::string text() const {
    std::string text = includes();
    if (steps_ || barriers_ || units_) text += kAnnotations;
    std::string helpers;
    if (steps_) helpers += kLockstep;
    if (lockstep_ && waits_) helpers += kLockstepWait;
    if (!lockstep_ && waits_) helpers += notified_outside_ ? kFreeWaitWithTimeout : kFreeWait;
    if (options_.schedule == Schedule::sleep) helpers += kSleep;
    if (barriers_) {
      helpers +=
          fmt::format(kBarrier, lockstep_ ? "\n      finish();  // the next arrival may come" : "");
    }
    if (objects_) helpers += "\nstruct Object {};\n";
    if (uses_) helpers += kUse;
    if (expects_ && !lockstep_) helpers += kExpect;
    if (!helpers.empty()) text += "\nnamespace {\n" + helpers + "\n}  // namespace\n";
    return text + "\n";
  }

 private:
  void look_at(const Program& program) {
    for (const Program::Location& location : program.locations) {
      atomics_ |= location.atomic && !location.plain;
    }
    for (const Program::Lock& lock : program.locks) {
      if (!lock.used) continue;
      mutexes_ = true;
      shared_ |= lock.shared;
      conditions_ |= lock.waited || lock.notifies;
      waits_ |= lock.waited;
      notified_outside_ |= lock.notified_outside;
    }
    for (const Program::Thread& thread : program.threads) {
      threads_ |= thread.exists && !program.actions.empty();
      atomics_ |= thread.joined_early && !lockstep_;
    }
    barriers_ |= !program.barriers.empty();
    steps_ |= lockstep_ && !program.actions.empty();
    for (const Action& action : program.actions) {
      const Op op = action.operation.op;
      units_ |= op == Op::beg;
      objects_ |= space_of(op) == Space::object;
      if (!reads(op) || writes(op)) continue;
      const bool awaited = action.awaited && !lockstep_;
      yields_ |= awaited;
      expects_ |= action.expected && !awaited;
      uses_ |= !action.expected && !awaited;
    }
  }

  std::string includes() const {
    const bool sync = steps_ || barriers_;
    std::string text;
    const auto include = [&](bool needed, std::string_view name) {
      if (needed) text += fmt::format("#include <{}>\n", name);
    };
    include(atomics_ || (notified_outside_ && !lockstep_), "atomic");
    include(expects_ && lockstep_, "cassert");
    include(waits_ || options_.schedule == Schedule::sleep, "chrono");
    include(sync || conditions_, "condition_variable");
    include((expects_ && !lockstep_) || options_.log, "cstdio");
    include(sync || mutexes_, "mutex");
    include(shared_, "shared_mutex");
    include(expects_ && !lockstep_, "string");
    include(threads_ || yields_, "thread");
    return text;
  }

  const ProgramOptions& options_;
  const bool lockstep_ = options_.schedule == Schedule::lockstep;
  bool atomics_ = false, mutexes_ = false, shared_ = false, conditions_ = false, waits_ = false;
  bool notified_outside_ = false, threads_ = false, barriers_ = false, units_ = false;
  bool steps_ = false, objects_ = false, uses_ = false, expects_ = false, yields_ = false;
};

}  // namespace

std::string cpp_prelude(const std::vector<Program>& programs, const ProgramOptions& options) {
  return Prelude(programs, options).text();
}

}  // namespace foretrace::programs
