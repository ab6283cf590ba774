// Functions of libc that synchronise. They do what they always do; in front of
// each there may be noise, or a thread is held until it is its turn, and while a
// thread waits in one, others can see what it waits for.
#include "steering/sync.h"

#include <cerrno>

#include "runtime/real.h"
#include "steering/report.h"

namespace foretrace::steering {

SyncPoint::SyncPoint(const void* return_address) {
  if (!steering_on.load(std::memory_order_relaxed)) return;
  site_ = self.call_site.is_known() ? self.call_site : SiteRef::before(return_address);
  self.call_site = SiteRef();
  // Should a longjmp() out of a signal handler have left a window open.
  if (self.slot != nullptr && is_window_open(*self.slot)) take_turn(*self.slot);
  const Entry entry;
  if (!entry) return;
  Slot& slot = *self.slot;
  slot.hooks.store(slot.hooks.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  settle_healing();
  if (self.open_count > 0) leave_returned_sections(FORETRACE_FRAME);
  if (has_noise) make_noise_at_sync(site_);
  if (has_script) follow_script_at_sync(site_);
}

void pass_atomic(SiteRef site) {
  if (!steering_on.load(std::memory_order_relaxed)) return;
  const Entry entry;
  if (!entry) return;
  self.slot->hooks.store(self.slot->hooks.load(std::memory_order_relaxed) + 1,
                         std::memory_order_release);
  note_atomics();
  settle_healing();
  if (has_noise) make_noise_at_sync(site);
  if (has_script) follow_script_at_sync(site);
}

namespace {

using runtime::real;

bool is_held(int status) { return status == 0 || status == EOWNERDEAD; }

void note_held(const void* mutex, int status) {
  if (is_held(status) && steering_on.load(std::memory_order_relaxed)) note_owner(mutex, true);
}

// Tries first: only a thread that has to wait needs to tell what for.
template <typename Try, typename Lock>
int lock(const void* mutex, SiteRef site, const Try& attempt, const Lock& wait) {
  if (!steering_on.load(std::memory_order_relaxed) || self.slot == nullptr) return wait();
  int status = attempt();
  if (status == EBUSY) {
    const Waiting waiting(reinterpret_cast<uint64_t>(mutex), site);
    {
      const Entry entry;
      if (entry) look_for_deadlock(mutex, site);
    }
    status = wait();
  }
  note_held(mutex, status);
  return status;
}

template <typename Call>
auto wait_for_something(SiteRef site, const Call& call) {
  const Waiting waiting(kWaitsForSomething, site);
  return call();
}

void note_released(const void* mutex) {
  if (steering_on.load(std::memory_order_relaxed)) note_owner(mutex, false);
}

struct Wait {
  const void* mutex;
};
void got_back(void* wait) {
  if (self.slot != nullptr) self.slot->waits_for.store(0);
  if (steering_on.load(std::memory_order_relaxed))
    note_owner(static_cast<Wait*>(wait)->mutex, true);
}

// A wait gives the mutex back and gets it again, also if it is cancelled.
template <typename Call>
int wait_on(const void* mutex, SiteRef site, const Call& call) {
  Wait wait = {mutex};
  int status = 0;
  note_released(mutex);
  if (self.slot != nullptr) {
    self.slot->waits_at = site;
    self.slot->waits_for.store(kWaitsForSomething);
  }
  pthread_cleanup_push(got_back, &wait);
  status = call();
  pthread_cleanup_pop(1);
  return status;
}

}  // namespace
}  // namespace foretrace::steering

using namespace foretrace::steering;
using foretrace::runtime::real;

#define FORETRACE_POINT const SyncPoint point(__builtin_return_address(0))

FORETRACE_INTERCEPT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  FORETRACE_POINT;
  return lock(
      mutex, point.site(), [&] { return real().pthread_mutex_trylock(mutex); },
      [&] { return real().pthread_mutex_lock(mutex); });
}
FORETRACE_INTERCEPT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  FORETRACE_POINT;
  const int status = real().pthread_mutex_trylock(mutex);
  note_held(mutex, status);
  return status;
}
FORETRACE_INTERCEPT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  FORETRACE_POINT;
  const int status = wait_for_something(
      point.site(), [&] { return real().pthread_mutex_timedlock(mutex, until); });
  note_held(mutex, status);
  return status;
}
FORETRACE_INTERCEPT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                                const timespec* until) {
  FORETRACE_POINT;
  const int status = wait_for_something(
      point.site(), [&] { return real().pthread_mutex_clocklock(mutex, clock, until); });
  note_held(mutex, status);
  return status;
}
FORETRACE_INTERCEPT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  FORETRACE_POINT;
  note_released(mutex);
  return real().pthread_mutex_unlock(mutex);
}

FORETRACE_INTERCEPT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  FORETRACE_POINT;
  return wait_for_something(point.site(), [&] { return real().pthread_rwlock_rdlock(lock); });
}
FORETRACE_INTERCEPT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) {
  FORETRACE_POINT;
  return wait_for_something(point.site(),
                            [&] { return real().pthread_rwlock_timedrdlock(lock, until); });
}
FORETRACE_INTERCEPT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                                   const timespec* until) {
  FORETRACE_POINT;
  return wait_for_something(point.site(),
                            [&] { return real().pthread_rwlock_clockrdlock(lock, clock, until); });
}
FORETRACE_INTERCEPT int pthread_rwlock_wrlock(pthread_rwlock_t* rwlock) {
  FORETRACE_POINT;
  return lock(
      rwlock, point.site(), [&] { return real().pthread_rwlock_trywrlock(rwlock); },
      [&] { return real().pthread_rwlock_wrlock(rwlock); });
}
FORETRACE_INTERCEPT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) {
  FORETRACE_POINT;
  return wait_for_something(point.site(),
                            [&] { return real().pthread_rwlock_timedwrlock(lock, until); });
}
FORETRACE_INTERCEPT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                                   const timespec* until) {
  FORETRACE_POINT;
  return wait_for_something(point.site(),
                            [&] { return real().pthread_rwlock_clockwrlock(lock, clock, until); });
}
FORETRACE_INTERCEPT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  FORETRACE_POINT;
  note_released(lock);
  return real().pthread_rwlock_unlock(lock);
}

FORETRACE_INTERCEPT int pthread_spin_lock(pthread_spinlock_t* spin) {
  FORETRACE_POINT;
  return lock(
      const_cast<const int*>(spin), point.site(), [&] { return real().pthread_spin_trylock(spin); },
      [&] { return real().pthread_spin_lock(spin); });
}
FORETRACE_INTERCEPT int pthread_spin_unlock(pthread_spinlock_t* spin) {
  FORETRACE_POINT;
  note_released(const_cast<const int*>(spin));
  return real().pthread_spin_unlock(spin);
}

// glibc's C11 functions call the pthread ones inside libc, where nobody stands
// in front of them.
FORETRACE_INTERCEPT int mtx_lock(mtx_t* mutex) {
  FORETRACE_POINT;
  const int status = wait_for_something(point.site(), [&] { return real().mtx_lock(mutex); });
  if (status == thrd_success) note_held(mutex, 0);
  return status;
}
FORETRACE_INTERCEPT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  FORETRACE_POINT;
  const int status =
      wait_for_something(point.site(), [&] { return real().mtx_timedlock(mutex, until); });
  if (status == thrd_success) note_held(mutex, 0);
  return status;
}
FORETRACE_INTERCEPT int mtx_unlock(mtx_t* mutex) {
  FORETRACE_POINT;
  note_released(mutex);
  return real().mtx_unlock(mutex);
}

FORETRACE_INTERCEPT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  FORETRACE_POINT;
  return wait_on(mutex, point.site(), [&] { return real().pthread_cond_wait(condition, mutex); });
}
FORETRACE_INTERCEPT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                               const timespec* until) {
  FORETRACE_POINT;
  return wait_on(mutex, point.site(),
                 [&] { return real().pthread_cond_timedwait(condition, mutex, until); });
}
FORETRACE_INTERCEPT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                               clockid_t clock, const timespec* until) {
  FORETRACE_POINT;
  return wait_on(mutex, point.site(),
                 [&] { return real().pthread_cond_clockwait(condition, mutex, clock, until); });
}
FORETRACE_INTERCEPT int pthread_cond_signal(pthread_cond_t* condition) {
  FORETRACE_POINT;
  return real().pthread_cond_signal(condition);
}
FORETRACE_INTERCEPT int pthread_cond_broadcast(pthread_cond_t* condition) {
  FORETRACE_POINT;
  return real().pthread_cond_broadcast(condition);
}
FORETRACE_INTERCEPT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  FORETRACE_POINT;
  return wait_on(mutex, point.site(), [&] { return real().cnd_wait(condition, mutex); });
}
FORETRACE_INTERCEPT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  FORETRACE_POINT;
  return wait_on(mutex, point.site(),
                 [&] { return real().cnd_timedwait(condition, mutex, until); });
}
FORETRACE_INTERCEPT int cnd_signal(cnd_t* condition) {
  FORETRACE_POINT;
  return real().cnd_signal(condition);
}
FORETRACE_INTERCEPT int cnd_broadcast(cnd_t* condition) {
  FORETRACE_POINT;
  return real().cnd_broadcast(condition);
}

FORETRACE_INTERCEPT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  FORETRACE_POINT;
  return wait_for_something(point.site(), [&] { return real().pthread_barrier_wait(barrier); });
}
FORETRACE_INTERCEPT int sem_post(sem_t* semaphore) {
  FORETRACE_POINT;
  return real().sem_post(semaphore);
}
FORETRACE_INTERCEPT int sem_wait(sem_t* semaphore) {
  FORETRACE_POINT;
  return wait_for_something(point.site(), [&] { return real().sem_wait(semaphore); });
}
FORETRACE_INTERCEPT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  FORETRACE_POINT;
  return wait_for_something(point.site(), [&] { return real().sem_timedwait(semaphore, until); });
}
FORETRACE_INTERCEPT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  FORETRACE_POINT;
  return wait_for_something(point.site(),
                            [&] { return real().sem_clockwait(semaphore, clock, until); });
}

FORETRACE_INTERCEPT int pthread_join(pthread_t thread, void** result) {
  FORETRACE_POINT;
  return wait_for_something(point.site(), [&] { return real().pthread_join(thread, result); });
}
FORETRACE_INTERCEPT int thrd_join(thrd_t thread, int* result) {
  FORETRACE_POINT;
  return wait_for_something(point.site(), [&] { return real().thrd_join(thread, result); });
}
FORETRACE_INTERCEPT int pthread_once(pthread_once_t* flag, void (*body)()) {
  FORETRACE_POINT;
  return real().pthread_once(flag, body);
}
