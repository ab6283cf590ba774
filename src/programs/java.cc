// Programs in Java 11 and later.
#include <limits>

#include <fmt/format.h>

#include "programs/writer.h"

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

class JavaWriter : public ProgramWriter {
 public:
  using ProgramWriter::ProgramWriter;

  // Everything of the program, as members of the class that is open; `run` is the
  // name of its main method.
  void write(const std::string& class_name, const std::string& head) {
    class_ = class_name;
    write_fields();
    for (const Program::Thread& thread : program().threads) {
      if (thread.exists) write_methods(thread.body);
    }
    for (ThreadId i = 0; i < program().threads.size(); ++i) {
      const Program::Thread& thread = program().threads[i];
      if (!thread.exists || i == program().main) continue;
      write_method(fmt::format("static void {}()", thread.function), thread.body);
      text().line();
    }
    write_method(head, program().threads[program().main].body);
  }

 protected:
  std::string place_words(uint64_t step) override {
    switch (options().schedule) {
      case Schedule::lockstep:
        return fmt::format("step({});", step);
      case Schedule::yield:
        return "Thread.yield();";
      case Schedule::sleep:
        return fmt::format("pause({});", step);
      case Schedule::free:
        break;
    }
    return "";
  }

  std::string print_words(const std::string& text) override {
    return fmt::format("System.out.println({});", text);
  }

  Block block_of(const Action& action, bool as_method) override {
    if (action.operation.op == Op::beg) {
      const std::string annotation = fmt::format("@Atomic({})", quoted(label_of(action)));
      if (!as_method) return {{"// " + annotation}, "{", {}};
      return {{annotation}, fmt::format("static void {}() {{", action.method), {}};
    }
    const Program::Lock& lock = program().locks[action.operation.object];
    if (is_monitor(lock)) return {{}, fmt::format("synchronized ({}) {{", lock.name), {}};
    const std::string half =
        action.operation.op == Op::racq ? lock.name + ".readLock()" : exclusive(lock);
    return {{half + ".lock();"}, "try {", {}, half + ".unlock();"};
  }

  std::string words_for(const Action& action) override {
    const Operation& operation = action.operation;
    switch (space_of(operation.op)) {
      case Space::location:
        return access_words(action, program().locations[operation.object]);
      case Space::lock:
        return lock_words(action, program().locks[operation.object]);
      case Space::thread: {
        const std::string& thread = program().threads[operation.object].variable;
        if (operation.op == Op::fork) return thread + ".start();";
        return !is_lockstep() && action.may_come_early
                   ? fmt::format(
                         "while ({}.getState() == Thread.State.NEW) {{\n"
                         "    Thread.yield();\n}}\njoin({});",
                         thread, thread)
                   : fmt::format("join({});", thread);
      }
      case Space::barrier:
        return fmt::format("arrive({});", program().barriers[action.barrier].name);
      case Space::object:
        return fmt::format("{} = {};", program().objects[operation.object].name,
                           operation.op == Op::alloc ? "new Object()" : "null");
      default:
        return "";
    }
  }

 private:
  static std::string literal(int64_t value, const Program::Location& location) {
    return location.wide ? fmt::format("{}L", value) : std::to_string(value);
  }

  void write_fields() {
    for (const std::string& comment : set_comments(program())) text().line(comment);
    for (const Program::Location& location : program().locations) {
      if (!location.used()) continue;
      const std::string type = location.wide ? "long" : "int";
      if (location.updated) {
        const std::string atomic = location.wide ? "AtomicLong" : "AtomicInteger";
        text().line(fmt::format("static final {} {} = new {}();", atomic, location.name, atomic));
      } else {
        text().line(fmt::format("static {}{} {} = 0;", location.atomic ? "volatile " : "", type,
                                location.name));
      }
    }
    for (const Program::Lock& lock : program().locks) {
      if (lock.used) write_lock(lock);
    }
    for (const Program::Barrier& barrier : program().barriers) {
      text().line(fmt::format("static final CyclicBarrier {} = new CyclicBarrier({});",
                              barrier.name, barrier.count));
    }
    for (const Program::Object& object : program().objects) {
      if (object.used) text().line(fmt::format("static Object {} = null;", object.name));
    }
    for (ThreadId i = 0; i < program().threads.size(); ++i) {
      const Program::Thread& thread = program().threads[i];
      if (!thread.exists || i == program().main) continue;
      text().line(fmt::format("static final Thread {} = new Thread({}::{});", thread.variable,
                              class_, thread.function));
    }
    text().line();
  }

  void write_lock(const Program::Lock& lock) {
    const std::string type = is_monitor(lock) ? "Object"
                             : lock.shared    ? "ReentrantReadWriteLock"
                                              : "ReentrantLock";
    text().line(fmt::format("static final {} {} = new {}();", type, lock.name, type));
    if (!lock.waited && !lock.notifies) return;
    if (!is_monitor(lock)) {
      text().line(fmt::format("static final Condition {} = {}.newCondition();", lock.condition,
                              exclusive(lock)));
    }
    if (is_lockstep()) return;
    text().line(
        lock.notified_outside
            ? fmt::format("static final AtomicInteger {} = new AtomicInteger();", lock.notified)
            : fmt::format("static int {} = 0;", lock.notified));
  }

  static bool is_monitor(const Program::Lock& lock) { return lock.scoped && !lock.shared; }
  static std::string exclusive(const Program::Lock& lock) {
    return lock.shared ? lock.name + ".writeLock()" : lock.name;
  }

  void write_method(const std::string& head, const std::vector<Statement>& body) {
    text().open(head + " {");
    write_body(body);
    if (is_lockstep() && !body.empty()) text().line("finish();");
    text().close();
  }

  std::string access_words(const Action& action, const Program::Location& location) const {
    const Op op = action.operation.op;
    const std::string& name = location.name;
    const std::string value = literal(action.written, location);
    if (op == Op::wr || op == Op::vwr) {
      return location.updated ? fmt::format("{}.set({});", name, value)
                              : fmt::format("{} = {};", name, value);
    }
    if (op == Op::vrmw) {
      return action.expected ? fmt::format("{}.getAndSet({});", name, value)
                             : fmt::format("{}.getAndIncrement();", name);
    }
    const std::string read = location.updated ? name + ".get()" : name;
    if (!is_lockstep() && action.awaited) {
      return fmt::format("while ({} < {}) {{\n    Thread.yield();\n}}", read,
                         literal(*action.awaited, location));
    }
    if (!action.expected) return fmt::format("use({});", read);
    const std::string expected = literal(*action.expected, location);
    if (is_lockstep()) return fmt::format("assert {} == {};", read, expected);
    return fmt::format("expect({}, {}, {});", read, expected, quoted(name));
  }

  std::string lock_words(const Action& action, const Program::Lock& lock) const {
    switch (action.operation.op) {
      case Op::acq:
        return action.is_reacquire ? fmt::format("// {} is held again.", lock.name)
                                   : exclusive(lock) + ".lock();";
      case Op::rel:
        return exclusive(lock) + ".unlock();";
      case Op::racq:
        return lock.name + ".readLock().lock();";
      case Op::rrel:
        return lock.name + ".readLock().unlock();";
      case Op::wait:
        return wait_words(action, lock);
      default:
        return notify_words(action.operation.op, lock);
    }
  }

  std::string wait_words(const Action& action, const Program::Lock& lock) const {
    const std::string& what = is_monitor(lock) ? lock.name : lock.condition;
    if (is_lockstep()) {
      return fmt::format("waitUntilStep({}, {});", step_of(action.resumes_at), what);
    }
    return fmt::format("while ({}{} < {}) {{\n    pause({}{});\n}}", lock.notified,
                       lock.notified_outside ? ".get()" : "", action.notified, what,
                       !is_monitor(lock)       ? ""
                       : lock.notified_outside ? ", 1"
                                               : ", 0");
  }

  // Java notifies only with the lock. Where the trace does it without, those who
  // wait look for themselves.
  std::string notify_words(Op op, const Program::Lock& lock) const {
    if (lock.notified_outside) {
      return is_lockstep() ? fmt::format("// {} {}: who waits will see it.", name_of(op), lock.name)
                           : fmt::format("{}.incrementAndGet();", lock.notified);
    }
    const bool all = op == Op::notifyall || (!is_lockstep() && lock.many_waiters);
    const std::string words = is_monitor(lock)
                                  ? fmt::format("{}.notify{}();", lock.name, all ? "All" : "")
                                  : fmt::format("{}.signal{}();", lock.condition, all ? "All" : "");
    return is_lockstep() ? words : fmt::format("{}++;\n{}", lock.notified, words);
  }

  std::string class_;
};

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
      if (op != Op::rd && op != Op::vrd) continue;
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

std::string write_java(const std::vector<Program>& programs, const ProgramOptions& options) {
  const Needs needs(programs, options);
  SourceText text(4);
  // Not public: its file may have a name that no class can have.
  text.open(fmt::format("class {} {{", options.name));
  uint64_t steps = 0;
  for (size_t i = 0; i < programs.size(); ++i) {
    if (programs.size() == 1) {
      JavaWriter(text, programs[i], options, steps)
          .write(options.name, "public static void main(String[] args)");
      continue;
    }
    const std::string name = fmt::format("Trace{}", i + 1);
    text.open(fmt::format("static class {} {{", name));
    JavaWriter(text, programs[i], options, steps).write(name, "static void run()");
    text.close();
    text.line();
    steps += programs[i].actions.size();
  }
  if (programs.size() != 1) {
    text.open("public static void main(String[] args) {");
    for (size_t i = 0; i < programs.size(); ++i) text.line(fmt::format("Trace{}.run();", i + 1));
    text.close();
  }
  text.lines(needs.helpers());
  text.close();
  return header_comment(options) + needs.imports() + text.take();
}

const LanguageRegistration registration({
    .name = "java",
    .extension = ".java",
    .write = write_java,
});

}  // namespace
}  // namespace foretrace::programs
