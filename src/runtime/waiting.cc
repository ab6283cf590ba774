// Conditions, barriers, semaphores and once-only initialisation.
#include <pthread.h>
#include <sys/sem.h>

#include "runtime/channels.h"
#include "runtime/once.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

void record_reacquire(void* mutex) { record_sync(Kind::lock, mutex); }

// A wait gives the mutex back and gets it again, also if it is cancelled.
template <typename Wait>
int wait_on(const void* condition, void* mutex, const Wait& wait) {
  record_sync_with(Kind::cond_wait, mutex, reinterpret_cast<uint64_t>(condition));
  int status = 0;
  pthread_cleanup_push(record_reacquire, mutex);
  status = wait();
  pthread_cleanup_pop(1);
  return status;
}

// The thread's number before its arrival and what it does after the barrier
// must not change places: a stamp says that it has passed.
int pass_barrier(pthread_barrier_t* barrier) {
  record_sync(Kind::barrier, barrier);
  const int status = real().pthread_barrier_wait(barrier);
  record_sync(Kind::stamp, uint64_t{0});
  return status;
}

// A semaphore is a counter that is changed atomically: a post before it gives,
// a wait after it took.
int took(int status, const sem_t* semaphore) {
  if (status == 0) record_sync(Kind::atomic_update, semaphore);
  return status;
}

// System V's semaphores have numbers. Who takes comes after who gave; who waits for zero
// comes after who took.
uint64_t number_of(int set, const sembuf& step) {
  return uint64_t{static_cast<uint32_t>(set)} << 16 | step.sem_num;
}

void begin_steps(int set, const sembuf* steps, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (steps[i].sem_op > 0) send_by(Numbered::given_semaphore, number_of(set, steps[i]));
    if (steps[i].sem_op < 0) send_by(Numbered::taken_semaphore, number_of(set, steps[i]));
  }
}

int end_steps(int status, int set, const sembuf* steps, size_t count) {
  for (size_t i = 0; status == 0 && i < count; ++i) {
    if (steps[i].sem_op < 0) receive_from(Numbered::given_semaphore, number_of(set, steps[i]));
    if (steps[i].sem_op == 0) receive_from(Numbered::taken_semaphore, number_of(set, steps[i]));
  }
  return status;
}

// Once-only initialisation is a flag: the thread that ran the function writes
// it, and everyone who comes back has read it.
__thread void (*current_body)() __attribute__((tls_model("initial-exec")));
__thread void* current_flag __attribute__((tls_model("initial-exec")));

void run_once_body() {
  // The body may use once-only initialisation itself.
  void* const flag = current_flag;
  record_sync(Kind::atomic_read, flag);  // somebody may have tried before
  current_body();
  record_sync(Kind::atomic_write, flag);
}

template <typename Once>
void initialise_once(void* flag, void (*body)(), const Once& once) {
  void (*const outer_body)() = current_body;
  void* const outer_flag = current_flag;
  current_body = body;
  current_flag = flag;
  once();
  current_body = outer_body;
  current_flag = outer_flag;
  record_sync(Kind::atomic_read, flag);
}

}  // namespace

// Nobody tells whether it is caught in the function: then there is a write too many.
void record_throw_in_once() {
  if (current_flag == nullptr) return;
  record_sync(Kind::atomic_write, current_flag);
  current_flag = nullptr;
}

}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  return wait_on(condition, mutex, [&] { return real().pthread_cond_wait(condition, mutex); });
}
FORETRACE_INTERCEPT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                               const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return wait_on(condition, mutex,
                 [&] { return real().pthread_cond_timedwait(condition, mutex, until); });
}
FORETRACE_INTERCEPT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                               clockid_t clock, const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return wait_on(condition, mutex,
                 [&] { return real().pthread_cond_clockwait(condition, mutex, clock, until); });
}
FORETRACE_INTERCEPT int pthread_cond_signal(pthread_cond_t* condition) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::cond_signal, condition);
  return real().pthread_cond_signal(condition);
}
FORETRACE_INTERCEPT int pthread_cond_broadcast(pthread_cond_t* condition) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::cond_broadcast, condition);
  return real().pthread_cond_broadcast(condition);
}

FORETRACE_INTERCEPT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  return wait_on(condition, mutex, [&] { return real().cnd_wait(condition, mutex); });
}
FORETRACE_INTERCEPT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return wait_on(condition, mutex, [&] { return real().cnd_timedwait(condition, mutex, until); });
}
FORETRACE_INTERCEPT int cnd_signal(cnd_t* condition) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::cond_signal, condition);
  return real().cnd_signal(condition);
}
FORETRACE_INTERCEPT int cnd_broadcast(cnd_t* condition) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::cond_broadcast, condition);
  return real().cnd_broadcast(condition);
}

FORETRACE_INTERCEPT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  const CallPlace place(__builtin_return_address(0));
  return pass_barrier(barrier);
}

FORETRACE_INTERCEPT int sem_post(sem_t* semaphore) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::atomic_update, semaphore);
  return real().sem_post(semaphore);
}
FORETRACE_INTERCEPT int sem_wait(sem_t* semaphore) {
  const CallPlace place(__builtin_return_address(0));
  return took(real().sem_wait(semaphore), semaphore);
}
FORETRACE_INTERCEPT int sem_trywait(sem_t* semaphore) {
  const CallPlace place(__builtin_return_address(0));
  return took(real().sem_trywait(semaphore), semaphore);
}
FORETRACE_INTERCEPT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return took(real().sem_timedwait(semaphore, until), semaphore);
}
FORETRACE_INTERCEPT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return took(real().sem_clockwait(semaphore, clock, until), semaphore);
}

FORETRACE_INTERCEPT int semop(int set, sembuf* steps, size_t count) noexcept {
  const CallPlace place(__builtin_return_address(0));
  begin_steps(set, steps, count);
  return end_steps(real().semop(set, steps, count), set, steps, count);
}
FORETRACE_INTERCEPT int semtimedop(int set, sembuf* steps, size_t count,
                                   const timespec* timeout) noexcept {
  const CallPlace place(__builtin_return_address(0));
  begin_steps(set, steps, count);
  return end_steps(real().semtimedop(set, steps, count, timeout), set, steps, count);
}

FORETRACE_INTERCEPT int pthread_once(pthread_once_t* flag, void (*body)()) {
  const CallPlace place(__builtin_return_address(0));
  int status = 0;
  initialise_once(flag, body, [&] { status = real().pthread_once(flag, run_once_body); });
  return status;
}
FORETRACE_INTERCEPT void call_once(once_flag* flag, void (*body)()) {
  const CallPlace place(__builtin_return_address(0));
  initialise_once(flag, body, [&] { real().call_once(flag, run_once_body); });
}
