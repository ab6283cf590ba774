#include "recording/program.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/layout.h"

namespace foretrace {
namespace {

// A folder in front of those of the variable.
std::string library_path(const std::string& folder) {
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  return before != nullptr && *before != '\0' ? folder + ":" + before : folder;
}

constexpr int kHandedOn[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// The program, while it runs; 0: nobody.
std::atomic<pid_t> receiver = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);
// The signal that was handed on last.
std::atomic<int> handed = 0;

void hand_on(int signal, siginfo_t* info, void*) {
  const bool from_terminal = info->si_code == SI_KERNEL;
  const pid_t program = receiver.load();
  if (program > 0) {
    handed = signal;
    if (!from_terminal && info->si_pid != program) ::kill(program, signal);
  } else if (signal != SIGINT && signal != SIGQUIT && handed.exchange(0) != signal) {
    // The program has ended, so this is for the recorder: unless it is the one that
    // ended the program once more. timeout(1) sends to a process and to its group.
    std::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

sigset_t handed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kHandedOn) sigaddset(&set, signal);
  return set;
}

// In the child, which had no time for a signal yet. What its parent ignored when it
// was started stays ignored.
void take_default_actions(const sigset_t& mask) {
  for (const int signal : kHandedOn) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
      std::signal(signal, SIG_DFL);
    }
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

// In the child. Says on `complaints` why it could not, if it could not.
[[noreturn]] void become(std::vector<char*>& words, int complaints) {
  ::execvp(words[0], words.data());
  const int reason = errno;
  (void)!::write(complaints, &reason, sizeof reason);
  ::_exit(127);
}

}  // namespace

Result<Program> Program::start(const std::vector<std::string>& words, const std::string& session,
                               const std::string& libraries) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return fail("cannot make a pipe: {}", std::strerror(errno));
  const std::string path = library_path(libraries);
  const sigset_t held_back = handed_on();
  sigset_t mask;
  sigprocmask(SIG_BLOCK, &held_back, &mask);
  const pid_t pid = ::fork();
  if (pid == 0) {
    take_default_actions(mask);
    ::setenv(recording::kSessionVariable, session.c_str(), 1);
    ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    become(pointers, pipe[1]);
  }
  int reason = errno;
  receiver = std::max(pid, 0);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::close(pipe[1]);
  const ssize_t got = pid > 0 ? ::read(pipe[0], &reason, sizeof reason) : sizeof reason;
  ::close(pipe[0]);
  if (got == sizeof reason) {
    receiver = 0;
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    return fail("cannot run {}: {}", printable(words[0]), std::strerror(reason));
  }
  return Program(pid);
}

bool Program::is_running() {
  if (!ended_) look(WNOHANG);
  return !ended_;
}

void Program::wait() {
  while (!ended_) look(0);
}

// Its number may be another process's once it was waited for, so signals are handed
// on no more before that.
void Program::look(int options) {
  siginfo_t state = {};
  const int got = ::waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOWAIT | options);
  if (got != 0 && errno == EINTR) return;
  if (got == 0 && state.si_pid == 0) return;
  receiver = 0;
  ::waitpid(pid_, &status_, 0);
  ended_ = true;
}

int Program::exit_status() const {
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

LeaveSignalsToProgram::LeaveSignalsToProgram() {
  struct sigaction action = {};
  action.sa_sigaction = hand_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_mask = handed_on();
  for (const int signal : kHandedOn) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
    before_.emplace_back(signal, before);
  }
}

LeaveSignalsToProgram::~LeaveSignalsToProgram() {
  for (const auto& [signal, action] : before_) sigaction(signal, &action, nullptr);
}

}  // namespace foretrace
