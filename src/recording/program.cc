#include "recording/program.h"

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

// In the child. Says on `complaints` why it could not, if it could not.
[[noreturn]] void become(std::vector<char*>& words, int complaints) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGQUIT, SIG_DFL);
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
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setenv(recording::kSessionVariable, session.c_str(), 1);
    ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    become(pointers, pipe[1]);
  }
  ::close(pipe[1]);
  int reason = errno;
  const ssize_t got = pid > 0 ? ::read(pipe[0], &reason, sizeof reason) : sizeof reason;
  ::close(pipe[0]);
  if (got == sizeof reason) {
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    return fail("cannot run {}: {}", printable(words[0]), std::strerror(reason));
  }
  return Program(pid);
}

bool Program::is_running() {
  if (!ended_ && ::waitpid(pid_, &status_, WNOHANG) != 0) ended_ = true;
  return !ended_;
}

void Program::wait() {
  if (!ended_) ::waitpid(pid_, &status_, 0);
  ended_ = true;
}

int Program::exit_status() const {
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

LeaveSignalsToProgram::LeaveSignalsToProgram()
    : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}

LeaveSignalsToProgram::~LeaveSignalsToProgram() {
  std::signal(SIGINT, interrupt_);
  std::signal(SIGQUIT, quit_);
}

}  // namespace foretrace
