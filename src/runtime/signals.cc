// Signals that threads of the program send: whoever waits for one, and what happens in a
// handler, comes after who sent it (channels.h).
#include <csignal>
#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/call_stack.h"
#include "runtime/channels.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

void sends(int signal) {
  if (signal > 0) send_by(Numbered::signal, static_cast<uint64_t>(signal));
}

void receives(int signal) {
  if (signal > 0) receive_from(Numbered::signal, static_cast<uint64_t>(signal));
}

// A handler has run, of whatever signal.
void receives_some() {
  for (int signal = 1; signal < NSIG; ++signal) receives(signal);
}

// The program's handlers stay as they are. The kernel calls them so that they return to a
// place of libc's that nothing else returns to: by that they are known when they begin.
void learn_where_handlers_return(int signal) {
  struct KernelAction {
    void* handler;
    unsigned long flags;
    const void* restorer;
    uint64_t mask;
  };
  constexpr unsigned long kHasRestorer = 0x04000000;  // SA_RESTORER
  const KeepErrno keep;
  KernelAction action = {};
  if (::syscall(SYS_rt_sigaction, signal, nullptr, &action, sizeof(action.mask)) != 0) return;
  if ((action.flags & kHasRestorer) != 0) {
    handlers_return_to.store(action.restorer, std::memory_order_relaxed);
  }
}

}  // namespace

std::atomic<const void*> handlers_return_to{nullptr};

void enter_handler() { receives_some(); }

}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int sigaction(int signal, const struct sigaction* action,
                                  struct sigaction* before) noexcept {
  const int status = real().sigaction(signal, action, before);
  if (status == 0) learn_where_handlers_return(signal);
  return status;
}
FORETRACE_INTERCEPT sighandler_t signal(int signal, sighandler_t handler) noexcept {
  const sighandler_t before = real().signal(signal, handler);
  if (before != SIG_ERR) learn_where_handlers_return(signal);
  return before;
}

FORETRACE_INTERCEPT int kill(pid_t process, int signal) noexcept {
  const CallPlace place(__builtin_return_address(0));
  sends(signal);
  return real().kill(process, signal);
}
FORETRACE_INTERCEPT int raise(int signal) noexcept {
  const CallPlace place(__builtin_return_address(0));
  sends(signal);
  return real().raise(signal);
}
FORETRACE_INTERCEPT int sigqueue(pid_t process, int signal, const sigval value) noexcept {
  const CallPlace place(__builtin_return_address(0));
  sends(signal);
  return real().sigqueue(process, signal, value);
}
FORETRACE_INTERCEPT int tgkill(pid_t process, pid_t thread, int signal) {
  const CallPlace place(__builtin_return_address(0));
  sends(signal);
  return real().tgkill(process, thread, signal);
}
FORETRACE_INTERCEPT int pthread_kill(pthread_t thread, int signal) noexcept {
  const CallPlace place(__builtin_return_address(0));
  sends(signal);
  return real().pthread_kill(thread, signal);
}
FORETRACE_INTERCEPT int pthread_sigqueue(pthread_t thread, int signal,
                                         const sigval value) noexcept {
  const CallPlace place(__builtin_return_address(0));
  sends(signal);
  return real().pthread_sigqueue(thread, signal, value);
}

FORETRACE_INTERCEPT int sigwait(const sigset_t* signals, int* signal) {
  const CallPlace place(__builtin_return_address(0));
  const int error = real().sigwait(signals, signal);
  if (error == 0) receives(*signal);
  return error;
}
FORETRACE_INTERCEPT int sigwaitinfo(const sigset_t* signals, siginfo_t* info) {
  const CallPlace place(__builtin_return_address(0));
  const int signal = real().sigwaitinfo(signals, info);
  receives(signal);
  return signal;
}
FORETRACE_INTERCEPT int sigtimedwait(const sigset_t* signals, siginfo_t* info,
                                     const timespec* timeout) {
  const CallPlace place(__builtin_return_address(0));
  const int signal = real().sigtimedwait(signals, info, timeout);
  receives(signal);
  return signal;
}
FORETRACE_INTERCEPT int pause() {
  const CallPlace place(__builtin_return_address(0));
  const int status = real().pause();
  receives_some();
  return status;
}
FORETRACE_INTERCEPT int sigsuspend(const sigset_t* signals) {
  const CallPlace place(__builtin_return_address(0));
  const int status = real().sigsuspend(signals);
  receives_some();
  return status;
}
