// Signals that threads of the program send: whoever waits for one comes after who sent
// it (channels.h). What happens in a handler is not known to come after it.
#include <csignal>
#include <cstdint>

#include <unistd.h>

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

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

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
