// Programs in C++17 with the standard library's threads.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "programs/cpp_prelude.h"
#include "programs/writer.h"

namespace foretrace::programs {
namespace {

class CppWriter : public ProgramWriter {
 public:
  using ProgramWriter::ProgramWriter;

  void write(const std::string& space) {
    text().line(fmt::format("namespace {} {{", space));
    text().line();
    write_variables();
    write_declarations();
    for (const Program::Thread& thread : program().threads) {
      if (thread.exists) write_methods(thread.body);
    }
    for (ThreadId i = 0; i < program().threads.size(); ++i) {
      const Program::Thread& thread = program().threads[i];
      if (thread.exists && i != program().main) write_function(thread.function, thread.body);
    }
    write_function("run", program().threads[program().main].body);
    text().line(fmt::format("}}  // namespace {}", space));
    text().line();
  }

 protected:
  std::string yield_words() override { return "std::this_thread::yield();"; }

  std::string print_words(const std::string& text) override {
    return fmt::format("std::puts({});", text);
  }

  Block block_of(const Action& action, bool as_method) override {
    if (action.operation.op == Op::beg) {
      return {{},
              as_method ? fmt::format("void {}() {{", action.method) : "{",
              {fmt::format("FORETRACE_UNIT({});", quoted(label_of(action)))}};
    }
    const Program::Lock& lock = program().locks[action.operation.object];
    return {{},
            "{",
            {fmt::format("const std::{}<{}> hold_{}({});",
                         action.operation.op == Op::racq ? "shared_lock" : "lock_guard",
                         mutex_type(lock), lock.name, lock.name)}};
  }

  std::string words_for(const Action& action) override {
    const Operation& operation = action.operation;
    switch (space_of(operation.op)) {
      case Space::location:
        return access_words(action, program().locations[operation.object]);
      case Space::lock:
        return lock_words(action, program().locks[operation.object]);
      case Space::thread:
        return thread_words(action, program().threads[operation.object]);
      case Space::barrier:
        return program().barriers[action.barrier].name + ".arrive_and_wait();";
      case Space::object: {
        const std::string& name = program().objects[operation.object].name;
        if (operation.op == Op::alloc) return name + " = new Object;";
        return fmt::format("delete {};\n{} = nullptr;", name, name);
      }
      default:
        return "";
    }
  }

 private:
  static std::string mutex_type(const Program::Lock& lock) {
    return lock.shared ? "std::shared_mutex" : "std::mutex";
  }
  static std::string value_type(const Program::Location& location) {
    return location.wide ? "long long" : "int";
  }
  // The smallest number has no literal of its own.
  static std::string literal(int64_t value, const Program::Location& location) {
    if (!location.wide) {
      return value == std::numeric_limits<int32_t>::min() ? "(-2147483647 - 1)"
                                                          : std::to_string(value);
    }
    return value == std::numeric_limits<int64_t>::min() ? "(-9223372036854775807LL - 1)"
                                                        : fmt::format("{}LL", value);
  }

  void write_variables() {
    for (const std::string& comment : set_comments(program())) text().line(comment);
    bool any = false;
    for (const Program::Location& location : program().locations) {
      if (!location.used()) continue;
      const std::string type = value_type(location);
      text().line(location.atomic && !location.plain
                      ? fmt::format("std::atomic<{}> {}{{0}};", type, location.name)
                      : fmt::format("{} {} = 0;", type, location.name));
      any = true;
    }
    for (const Program::Lock& lock : program().locks) {
      if (!lock.used) continue;
      write_lock(lock);
      any = true;
    }
    for (const Program::Barrier& barrier : program().barriers) {
      text().line(fmt::format("Barrier {}({});", barrier.name, barrier.count));
      any = true;
    }
    for (const Program::Object& object : program().objects) {
      if (!object.used) continue;
      text().line(fmt::format("Object* {} = nullptr;", object.name));
      any = true;
    }
    for (ThreadId i = 0; i < program().threads.size(); ++i) {
      const Program::Thread& thread = program().threads[i];
      if (!thread.exists || thread.in_main || i == program().main) continue;
      text().line(fmt::format("std::thread {};", thread.variable));
      if (thread.joined_early && !is_lockstep()) {
        text().line(fmt::format("std::atomic<bool> {}{{false}};", thread.started));
      }
      any = true;
    }
    if (any) text().line();
  }

  void write_lock(const Program::Lock& lock) {
    text().line(fmt::format("{} {};", mutex_type(lock), lock.name));
    if (!lock.waited && !lock.notifies) return;
    text().line(
        fmt::format("std::condition_variable{} {};", lock.shared ? "_any" : "", lock.condition));
    if (is_lockstep()) return;
    text().line(lock.notified_outside ? fmt::format("std::atomic<int> {}{{0}};", lock.notified)
                                      : fmt::format("int {} = 0;", lock.notified));
  }

  // Functions of threads that are forked above them.
  void write_declarations() {
    bool any = false;
    for (const Action& action : program().actions) {
      const auto& [forker, op, child, value, site, resumes] = action.operation;
      if (op != Op::fork) continue;
      const bool above = forker != program().main && forker < child;
      if (!above && !options().unit_methods) continue;
      text().line(fmt::format("void {}();", program().threads[child].function));
      any = true;
    }
    if (any) text().line();
  }

  void write_function(const std::string& name, const std::vector<Statement>& body) {
    write_thread(fmt::format("void {}()", name), body);
    text().line();
  }

  // A call of std::atomic, or of the compiler's built-in function where the location has
  // plain accesses too.
  static std::string atomic_words(const Program::Location& location, const std::string& what,
                                  const std::string& value, Op op) {
    const bool relaxed = is_relaxed(op);
    const std::string comma = value.empty() ? "" : ", ";
    if (location.plain) {
      return fmt::format("__atomic_{}{}(&{}{}{}, {})", what, what == "fetch_add" ? "" : "_n",
                         location.name, comma, value,
                         relaxed ? "__ATOMIC_RELAXED" : "__ATOMIC_SEQ_CST");
    }
    return fmt::format("{}.{}({}{})", location.name, what, value,
                       relaxed ? comma + "std::memory_order_relaxed" : "");
  }

  std::string access_words(const Action& action, const Program::Location& location) const {
    const Op op = action.operation.op;
    const std::string value = literal(action.written, location);
    const std::string& name = location.name;
    if (is_access(op)) {
      if (op == Op::wr) return fmt::format("{} = {};", name, value);
    } else if (writes(op)) {
      const std::string what = !reads(op) ? "store" : action.expected ? "exchange" : "fetch_add";
      return atomic_words(location, what, what == "fetch_add" ? "1" : value, op) + ";";
    }
    const std::string read = op == Op::rd ? name : atomic_words(location, "load", "", op);
    if (!is_lockstep() && action.awaited) {
      return fmt::format("while ({} < {}) std::this_thread::yield();", read,
                         literal(*action.awaited, location));
    }
    if (!action.expected) return fmt::format("use({});", read);
    if (is_lockstep())
      return fmt::format("assert({} == {});", read, literal(*action.expected, location));
    return fmt::format("expect({}, {}, {});", read, literal(*action.expected, location),
                       quoted(name));
  }

  std::string lock_words(const Action& action, const Program::Lock& lock) const {
    switch (action.operation.op) {
      case Op::acq:
        return action.is_reacquire ? fmt::format("// {} is held again.", lock.name)
                                   : lock.name + ".lock();";
      case Op::rel:
        return lock.name + ".unlock();";
      case Op::racq:
        return lock.name + ".lock_shared();";
      case Op::rrel:
        return lock.name + ".unlock_shared();";
      case Op::wait:
        if (is_lockstep()) {
          return fmt::format("wait_until_step({}, {}, {});", step_of(action.resumes_at),
                             lock.condition, lock.name);
        }
        return fmt::format("wait({}, {}, {}, {});", lock.condition, lock.name, lock.notified,
                           action.notified);
      default:
        return notify_words(action.operation.op, lock);
    }
  }

  std::string notify_words(Op op, const Program::Lock& lock) const {
    // In a free program those who wait look at the count, so any may have to wake.
    const bool all = op == Op::notifyall || (!is_lockstep() && lock.many_waiters);
    const std::string words = fmt::format("{}.notify_{}();", lock.condition, all ? "all" : "one");
    return is_lockstep() ? words : fmt::format("++{};\n{}", lock.notified, words);
  }

  std::string thread_words(const Action& action, const Program::Thread& thread) const {
    const bool flag = !is_lockstep() && thread.joined_early;
    if (action.operation.op == Op::join) {
      const std::string wait =
          flag && action.may_come_early
              ? fmt::format("while (!{}) std::this_thread::yield();\n", thread.started)
              : "";
      return fmt::format("{}{}.join();", wait, thread.variable);
    }
    if (thread.in_main) return fmt::format("std::thread {}({});", thread.variable, thread.function);
    return fmt::format("{} = std::thread({});{}", thread.variable, thread.function,
                       flag ? fmt::format("\n{} = true;", thread.started) : "");
  }
};

std::string write_cpp(const std::vector<Program>& programs, const ProgramOptions& options) {
  SourceText text(2);
  uint64_t steps = 0;
  std::vector<std::string> spaces;
  for (const Program& program : programs) {
    spaces.push_back(programs.size() == 1 ? "trace" : fmt::format("trace_{}", spaces.size() + 1));
    CppWriter(text, program, options, steps).write(spaces.back());
    steps += program.actions.size();
  }
  text.open("int main() {");
  for (const std::string& space : spaces) text.line(space + "::run();");
  text.close();
  return header_comment(options) + cpp_prelude(programs, options) + text.take();
}

const LanguageRegistration registration({
    .name = "c++",
    .extension = ".cpp",
    .write = write_cpp,
});

}  // namespace
}  // namespace foretrace::programs
