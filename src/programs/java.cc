// Programs in Java 11 and later.
#include <limits>

#include <fmt/format.h>

#include "programs/java_helpers.h"
#include "programs/writer.h"

namespace foretrace::programs {
namespace {

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
      write_thread(fmt::format("static void {}()", thread.function), thread.body);
      text().line();
    }
    write_thread(head, program().threads[program().main].body);
  }

 protected:
  std::string yield_words() override { return "Thread.yield();"; }

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

  std::string access_words(const Action& action, const Program::Location& location) const {
    const Op op = action.operation.op;
    const std::string& name = location.name;
    const std::string value = literal(action.written, location);
    if (!reads(op)) {
      return location.updated ? fmt::format("{}.set({});", name, value)
                              : fmt::format("{} = {};", name, value);
    }
    if (writes(op)) {
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

std::string write_java(const std::vector<Program>& programs, const ProgramOptions& options) {
  const JavaHelpers helpers = java_helpers(programs, options);
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
  text.lines(helpers.members);
  text.close();
  return header_comment(options) + helpers.imports + text.take();
}

const LanguageRegistration registration({
    .name = "java",
    .extension = ".java",
    .write = write_java,
});

}  // namespace
}  // namespace foretrace::programs
