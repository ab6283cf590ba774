#include "hunting/supervised_run.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/text.h"

namespace foretrace {
namespace {

// What the supervisor tells when all is over.
struct Verdict {
  int failed = 0;  // errno of what could not be done
  RunResult::End end = RunResult::End::exited;
  int status = 0;
  uint32_t left_behind = 0;
};

// Words and variables as exec() wants them, made before fork(): after it, nothing
// may be allocated.
struct Prepared {
  std::vector<std::string> variables;
  std::vector<char*> words;
  std::vector<char*> environment;
};

Prepared prepare(const RunRequest& request) {
  Prepared prepared;
  for (const std::string& word : request.words) {
    prepared.words.push_back(const_cast<char*>(word.c_str()));
  }
  prepared.words.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [given, value] : request.environment) replaced |= given == name;
    if (!replaced) prepared.variables.emplace_back(text);
  }
  for (const auto& [name, value] : request.environment) {
    prepared.variables.push_back(fmt::format("{}={}", name, value));
  }
  for (std::string& variable : prepared.variables) prepared.environment.push_back(variable.data());
  prepared.environment.push_back(nullptr);
  return prepared;
}

// The process between us and the program: it inherits whatever the program leaves
// behind. It comes from fork() in a process with threads, so it calls only what a
// signal handler may.
class Supervisor {
 public:
  Supervisor(const RunRequest& request, const Prepared& prepared, int pipe)
      : request_(request), prepared_(prepared), pipe_(pipe) {}

  [[noreturn]] void run() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGQUIT, SIGHUP}) {
      sigaddset(&signals, signal);
    }
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    program_ = start_program();
    if (program_ > 0) wait_for_program(signals);
    end_all();
    (void)!::write(pipe_, &verdict_, sizeof verdict_);
    ::_exit(0);
  }

 private:
  pid_t start_program() {
    int complaints[2];
    if (::pipe2(complaints, O_CLOEXEC) != 0) {
      verdict_.failed = errno;
      return -1;
    }
    const pid_t pid = ::fork();
    if (pid == 0) become_program(complaints[1]);
    ::close(complaints[1]);
    int reason = errno;
    const ssize_t got = pid > 0 ? ::read(complaints[0], &reason, sizeof reason) : sizeof reason;
    ::close(complaints[0]);
    if (got != sizeof reason) return pid;
    verdict_.failed = reason;
    return -1;
  }

  // A session of its own has no terminal to read from.
  [[noreturn]] void become_program(int complaints) {
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    if (redirect(request_.input, O_RDONLY, 0) &&
        redirect(request_.output, O_WRONLY | O_CREAT | O_TRUNC, 1) &&
        redirect(request_.errors, O_WRONLY | O_CREAT | O_TRUNC, 2)) {
      ::execvpe(prepared_.words[0], prepared_.words.data(), prepared_.environment.data());
    }
    const int reason = errno;
    (void)!::write(complaints, &reason, sizeof reason);
    ::_exit(127);
  }

  static bool redirect(const std::string& path, int flags, int target) {
    if (path.empty()) return true;
    const int fd = ::open(path.c_str(), flags, 0644);
    return fd >= 0 && ::dup2(fd, target) >= 0 && (fd == target || ::close(fd) == 0);
  }

  static double now() {
    timespec time = {};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  void wait_for_program(const sigset_t& signals) {
    const double end = now() + request_.seconds;
    for (;;) {
      for (;;) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (ended <= 0) break;
        if (ended == program_) return note(status);
      }
      const double left = end - now();
      if (left <= 0) {
        verdict_.end = RunResult::End::timed_out;
        return;
      }
      timespec span = {};
      span.tv_sec = static_cast<time_t>(left);
      span.tv_nsec = static_cast<long>((left - static_cast<double>(span.tv_sec)) * 1e9);
      const int signal = sigtimedwait(&signals, nullptr, &span);
      if (signal > 0 && signal != SIGCHLD) {
        verdict_.end = RunResult::End::interrupted;
        return;
      }
    }
  }

  void note(int status) {
    program_ended_ = true;
    if (WIFSIGNALED(status)) {
      verdict_.end = RunResult::End::killed_by_signal;
      verdict_.status = WTERMSIG(status);
    } else {
      verdict_.status = WEXITSTATUS(status);
    }
  }

  // Kills children until there are none: those of killed ones become ours.
  void end_all() {
    if (program_ > 0 && !program_ended_) {
      ::kill(program_, SIGKILL);
      ::waitpid(program_, nullptr, 0);
    }
    for (;;) {
      const uint32_t killed = kill_children();
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, killed > 0 ? 0 : WNOHANG);
      if (ended < 0 && errno == ECHILD) return;
      if (ended > 0) ++verdict_.left_behind;
      if (ended == 0 && killed == 0) return;
    }
  }

  static uint32_t kill_children() {
    char buffer[4096];
    char path[64] = "/proc/self/task/";
    append_number(path, static_cast<unsigned long>(::getpid()));
    std::strncat(path, "/children", sizeof path - std::strlen(path) - 1);
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t got = ::read(fd, buffer, sizeof buffer - 1);
    ::close(fd);
    uint32_t killed = 0;
    pid_t pid = 0;
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] >= '0' && buffer[i] <= '9') {
        pid = pid * 10 + (buffer[i] - '0');
      } else if (pid > 0) {
        if (::kill(pid, SIGKILL) == 0) ++killed;
        pid = 0;
      }
    }
    return killed;
  }

  static void append_number(char* text, unsigned long number) {
    char digits[24];
    size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    char* end = text + std::strlen(text);
    while (count > 0) *end++ = digits[--count];
    *end = '\0';
  }

  const RunRequest& request_;
  const Prepared& prepared_;
  const int pipe_;
  pid_t program_ = -1;
  bool program_ended_ = false;
  Verdict verdict_;
};

// Ctrl-C may have been noted by another thread, or meant for this process only.
ssize_t await_verdict(int pipe, pid_t supervisor, Verdict& verdict) {
  constexpr int kLookEvery = 200;  // milliseconds
  for (bool told = false;;) {
    pollfd waiting = {pipe, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kLookEvery);
    if (interrupted() && !told) {
      ::kill(supervisor, SIGTERM);
      told = true;
    }
    if (ready > 0) return ::read(pipe, &verdict, sizeof verdict);
    if (ready < 0 && errno != EINTR) return -1;
  }
}

}  // namespace

std::string RunResult::text() const {
  std::string text;
  switch (end) {
    case End::exited:
      text = fmt::format("exit status {}", status);
      break;
    case End::killed_by_signal:
      text = fmt::format("killed by signal {} ({})", status, ::strsignal(status));
      break;
    case End::timed_out:
      text = fmt::format("still ran after {:.0f} s and was ended", seconds);
      break;
    case End::interrupted:
      text = "interrupted";
      break;
  }
  if (left_behind > 0) {
    text += fmt::format("; it left {} behind, which {} ended",
                        counted(left_behind, "process", "processes"),
                        left_behind == 1 ? "was" : "were");
  }
  return text;
}

Result<RunResult> run_supervised(const RunRequest& request) {
  const Prepared prepared = prepare(request);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return fail("cannot make a pipe: {}", std::strerror(errno));
  const auto start = std::chrono::steady_clock::now();
  const pid_t supervisor = ::fork();
  if (supervisor == 0) Supervisor(request, prepared, pipe[1]).run();
  ::close(pipe[1]);
  Verdict verdict;
  const ssize_t got = supervisor > 0 ? await_verdict(pipe[0], supervisor, verdict) : -1;
  ::close(pipe[0]);
  if (supervisor < 0) return fail("cannot start a process: {}", std::strerror(errno));
  while (::waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (got != sizeof verdict)
    return fail("the process that watches {} was killed", request.words[0]);
  if (verdict.failed != 0) {
    return fail("cannot run {}: {}", printable(request.words[0]), std::strerror(verdict.failed));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return RunResult{verdict.end, verdict.status, took.count(), verdict.left_behind};
}

}  // namespace foretrace
