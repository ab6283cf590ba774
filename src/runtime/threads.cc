// Creation, end and join of threads, and _Fork().
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "runtime/last_words.h"
#include "runtime/memory.h"
#include "runtime/real.h"
#include "runtime/recorder.h"
#include "runtime/spin_lock.h"
#include "runtime/thread_table.h"

namespace foretrace::runtime {
namespace {

struct Start {
  void* (*pthread_body)(void*);
  thrd_start_t c11_body;
  void* argument;
  uint32_t number;
  sigset_t signals;      // those that the new thread blocks
  bool restore_signals;  // if its attributes do not say it
};

// No signal handler may record in a new thread before the thread knows its
// number: the thread starts with all signals blocked.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

bool has_signal_mask(const pthread_attr_t* attributes) {
  sigset_t ignored;
  return attributes != nullptr && ::pthread_attr_getsigmask_np(attributes, &ignored) == 0;
}

using GiveRingBack = LastWords<end_thread>;
__attribute__((constructor(102))) void make_last_words() { GiveRingBack::make(); }

Start enter_thread(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  release_memory(argument);
  become_thread(start.number);
  GiveRingBack::ask();
  record_own_stack();
  if (start.restore_signals) ::pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
  return start;
}

void* run_pthread(void* argument) {
  const Start start = enter_thread(argument);
  return start.pthread_body(start.argument);
}

int run_c11(void* argument) {
  const Start start = enter_thread(argument);
  return start.c11_body(start.argument);
}

// Records the creation; the result goes to the new thread.
Start* announce(const Start& start) {
  auto* const announced = static_cast<Start*>(allocate_memory(sizeof(Start)));
  if (announced == nullptr) return nullptr;
  *announced = start;
  announced->number = new_thread_number();
  record_sync(Kind::thread_create, uint64_t{announced->number});
  return announced;
}

// A thread that is joined. It is looked up before: as soon as it is joined, another one may have
// its handle.
class Joined {
 public:
  explicit Joined(pthread_t thread)
      : is_known_(recording_on.load(std::memory_order_relaxed) &&
                  thread_table_find(thread, number_)) {}
  // What the function that joins returned.
  int with(int status) const {
    if (status == 0 && is_known_) record_sync(Kind::thread_join, uint64_t{number_});
    return status;
  }

 private:
  uint32_t number_ = 0;
  bool is_known_;
};

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                       void* (*body)(void*), void* argument) {
  const CallPlace place(__builtin_return_address(0));
  Start* const start = recording_on.load(std::memory_order_relaxed)
                           ? announce({body, nullptr, argument, 0, {}, false})
                           : nullptr;
  if (start == nullptr) return real().pthread_create(thread, attributes, body, argument);
  const BlockSignals block;
  start->signals = block.before();
  start->restore_signals = !has_signal_mask(attributes);
  const uint32_t number = start->number;  // the new thread releases `start`
  const int status = real().pthread_create(thread, attributes, run_pthread, start);
  if (status != 0) {
    release_memory(start);
  } else {
    thread_table_add(*thread, number);
  }
  return status;
}

FORETRACE_INTERCEPT int pthread_join(pthread_t thread, void** result) {
  const CallPlace place(__builtin_return_address(0));
  const Joined joined(thread);
  return joined.with(real().pthread_join(thread, result));
}
FORETRACE_INTERCEPT int pthread_tryjoin_np(pthread_t thread, void** result) {
  const CallPlace place(__builtin_return_address(0));
  const Joined joined(thread);
  return joined.with(real().pthread_tryjoin_np(thread, result));
}
FORETRACE_INTERCEPT int pthread_timedjoin_np(pthread_t thread, void** result,
                                             const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  const Joined joined(thread);
  return joined.with(real().pthread_timedjoin_np(thread, result, until));
}
FORETRACE_INTERCEPT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                             const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  const Joined joined(thread);
  return joined.with(real().pthread_clockjoin_np(thread, result, clock, until));
}

FORETRACE_INTERCEPT int pthread_setname_np(pthread_t thread, const char* name) {
  const CallPlace place(__builtin_return_address(0));
  if (::pthread_equal(thread, ::pthread_self()) != 0) name_thread(name);
  return real().pthread_setname_np(thread, name);
}

FORETRACE_INTERCEPT int thrd_create(thrd_t* thread, thrd_start_t body, void* argument) {
  const CallPlace place(__builtin_return_address(0));
  Start* const start = recording_on.load(std::memory_order_relaxed)
                           ? announce({nullptr, body, argument, 0, {}, false})
                           : nullptr;
  if (start == nullptr) return real().thrd_create(thread, body, argument);
  const BlockSignals block;
  start->signals = block.before();
  start->restore_signals = true;
  const uint32_t number = start->number;
  const int status = real().thrd_create(thread, run_c11, start);
  if (status != thrd_success) {
    release_memory(start);
  } else {
    thread_table_add(*thread, number);
  }
  return status;
}

FORETRACE_INTERCEPT int thrd_join(thrd_t thread, int* result) {
  const CallPlace place(__builtin_return_address(0));
  static_assert(thrd_success == 0);
  const Joined joined(thread);
  return joined.with(real().thrd_join(thread, result));
}

// Calls no handlers of pthread_atfork(), so that those of signals may use it.
FORETRACE_INTERCEPT pid_t _Fork() noexcept {
  const pid_t child = real()._Fork();
  if (child == 0) after_fork_in_child();
  return child;
}
