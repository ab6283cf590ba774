// Mutexes, read-write locks, spin locks and C11 mutexes: an acquire is recorded
// after the lock was got, a release before it is given back, so the stamps of a
// lock's records are in the order in which it was held.
#include <cerrno>

#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// A robust mutex whose owner died is held as well.
int got(int status, Kind kind, const void* lock) {
  if (status == 0 || status == EOWNERDEAD) {
    const SiteRef site = self.call_site;
    if (status == EOWNERDEAD) record_sync(Kind::owner_died, lock);
    self.call_site = site;
    record_sync(kind, lock);
  } else {
    take_call_site();
  }
  return status;
}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_mutex_lock(mutex), Kind::lock, mutex);
}
FORETRACE_INTERCEPT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_mutex_trylock(mutex), Kind::try_lock, mutex);
}
FORETRACE_INTERCEPT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_mutex_timedlock(mutex, until), Kind::try_lock, mutex);
}
FORETRACE_INTERCEPT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                                const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_mutex_clocklock(mutex, clock, until), Kind::try_lock, mutex);
}
FORETRACE_INTERCEPT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::unlock, mutex);
  return real().pthread_mutex_unlock(mutex);
}
FORETRACE_INTERCEPT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::lock_gone, mutex);
  return real().pthread_mutex_destroy(mutex);
}

FORETRACE_INTERCEPT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_rwlock_rdlock(lock), Kind::lock_shared, lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_rwlock_tryrdlock(lock), Kind::try_lock_shared, lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_rwlock_timedrdlock(lock, until), Kind::try_lock_shared, lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                                   const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_rwlock_clockrdlock(lock, clock, until), Kind::try_lock_shared, lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_rwlock_wrlock(lock), Kind::lock, lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_rwlock_trywrlock(lock), Kind::try_lock, lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_rwlock_timedwrlock(lock, until), Kind::try_lock, lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                                   const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_rwlock_clockwrlock(lock, clock, until), Kind::try_lock, lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::unlock, lock);
  return real().pthread_rwlock_unlock(lock);
}
FORETRACE_INTERCEPT int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::lock_gone, lock);
  return real().pthread_rwlock_destroy(lock);
}

FORETRACE_INTERCEPT int pthread_spin_lock(pthread_spinlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_spin_lock(lock), Kind::lock, const_cast<const int*>(lock));
}
FORETRACE_INTERCEPT int pthread_spin_trylock(pthread_spinlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().pthread_spin_trylock(lock), Kind::try_lock, const_cast<const int*>(lock));
}
FORETRACE_INTERCEPT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::unlock, const_cast<const int*>(lock));
  return real().pthread_spin_unlock(lock);
}

// glibc's C11 functions call the pthread ones inside libc, where nobody stands
// in front of them.
FORETRACE_INTERCEPT int mtx_lock(mtx_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().mtx_lock(mutex), Kind::lock, mutex);
}
FORETRACE_INTERCEPT int mtx_trylock(mtx_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().mtx_trylock(mutex), Kind::try_lock, mutex);
}
FORETRACE_INTERCEPT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  const CallPlace place(__builtin_return_address(0));
  return got(real().mtx_timedlock(mutex, until), Kind::try_lock, mutex);
}
FORETRACE_INTERCEPT int mtx_unlock(mtx_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::unlock, mutex);
  return real().mtx_unlock(mutex);
}
FORETRACE_INTERCEPT void mtx_destroy(mtx_t* mutex) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::lock_gone, mutex);
  real().mtx_destroy(mutex);
}
