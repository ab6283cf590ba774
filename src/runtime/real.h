// The functions that the runtime stands in front of, as libc has them.
#pragma once

#include <cstdio>

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

namespace foretrace::runtime {

// Whether this is the archive for programs that are linked statically, where the
// linker redirects the calls of libc's functions.
#ifdef FORETRACE_STATIC
inline constexpr bool kLinkedStatically = true;
#else
inline constexpr bool kLinkedStatically = false;
#endif

// One line for each: name and, for those that glibc has in several versions,
// the version to take; the others are looked up by name.
#define FORETRACE_REAL_FUNCTIONS(X)           \
  X(pthread_create, "GLIBC_2.34")             \
  X(pthread_join, "GLIBC_2.34")               \
  X(pthread_tryjoin_np, "GLIBC_2.34")         \
  X(pthread_timedjoin_np, "GLIBC_2.34")       \
  X(pthread_clockjoin_np, "GLIBC_2.34")       \
  X(pthread_setname_np, "GLIBC_2.34")         \
  X(pthread_mutex_lock, "GLIBC_2.2.5")        \
  X(pthread_mutex_trylock, "GLIBC_2.34")      \
  X(pthread_mutex_timedlock, "GLIBC_2.34")    \
  X(pthread_mutex_clocklock, "GLIBC_2.34")    \
  X(pthread_mutex_unlock, "GLIBC_2.2.5")      \
  X(pthread_mutex_destroy, "GLIBC_2.2.5")     \
  X(pthread_rwlock_rdlock, "GLIBC_2.34")      \
  X(pthread_rwlock_tryrdlock, "GLIBC_2.34")   \
  X(pthread_rwlock_timedrdlock, "GLIBC_2.34") \
  X(pthread_rwlock_clockrdlock, "GLIBC_2.34") \
  X(pthread_rwlock_wrlock, "GLIBC_2.34")      \
  X(pthread_rwlock_trywrlock, "GLIBC_2.34")   \
  X(pthread_rwlock_timedwrlock, "GLIBC_2.34") \
  X(pthread_rwlock_clockwrlock, "GLIBC_2.34") \
  X(pthread_rwlock_unlock, "GLIBC_2.34")      \
  X(pthread_rwlock_destroy, "GLIBC_2.34")     \
  X(pthread_spin_lock, "GLIBC_2.34")          \
  X(pthread_spin_trylock, "GLIBC_2.34")       \
  X(pthread_spin_unlock, "GLIBC_2.34")        \
  X(pthread_cond_wait, "GLIBC_2.3.2")         \
  X(pthread_cond_timedwait, "GLIBC_2.3.2")    \
  X(pthread_cond_clockwait, "GLIBC_2.34")     \
  X(pthread_cond_signal, "GLIBC_2.3.2")       \
  X(pthread_cond_broadcast, "GLIBC_2.3.2")    \
  X(pthread_barrier_wait, "GLIBC_2.34")       \
  X(pthread_once, "GLIBC_2.34")               \
  X(sem_post, "GLIBC_2.34")                   \
  X(sem_wait, "GLIBC_2.34")                   \
  X(sem_trywait, "GLIBC_2.34")                \
  X(sem_timedwait, "GLIBC_2.34")              \
  X(sem_clockwait, "GLIBC_2.34")              \
  X(thrd_create, "GLIBC_2.34")                \
  X(thrd_join, "GLIBC_2.34")                  \
  X(mtx_lock, "GLIBC_2.34")                   \
  X(mtx_trylock, "GLIBC_2.34")                \
  X(mtx_timedlock, "GLIBC_2.34")              \
  X(mtx_unlock, "GLIBC_2.34")                 \
  X(mtx_destroy, "GLIBC_2.34")                \
  X(cnd_wait, "GLIBC_2.34")                   \
  X(cnd_timedwait, "GLIBC_2.34")              \
  X(cnd_signal, "GLIBC_2.34")                 \
  X(cnd_broadcast, "GLIBC_2.34")              \
  X(call_once, "GLIBC_2.34")                  \
  X(close, "GLIBC_2.2.5")                     \
  X(fclose, "GLIBC_2.2.5")                    \
  X(accept, "GLIBC_2.2.5")                    \
  X(accept4, "GLIBC_2.10")                    \
  X(socket, "GLIBC_2.2.5")                    \
  X(socketpair, "GLIBC_2.2.5")                \
  X(pipe, "GLIBC_2.2.5")                      \
  X(pipe2, "GLIBC_2.9")                       \
  X(dup, "GLIBC_2.2.5")                       \
  X(dup2, "GLIBC_2.2.5")                      \
  X(dup3, "GLIBC_2.9")                        \
  X(eventfd, "GLIBC_2.7")                     \
  X(epoll_create1, "GLIBC_2.9")               \
  X(open, "GLIBC_2.2.5")                      \
  X(openat, "GLIBC_2.4")                      \
  X(fopen, "GLIBC_2.2.5")

struct RealFunctions {
#define FORETRACE_DECLARE(name, version) decltype(&::name) name;
  FORETRACE_REAL_FUNCTIONS(FORETRACE_DECLARE)
#undef FORETRACE_DECLARE
};

// Looks them up the first time; may be called before the runtime has started.
const RealFunctions& real();

}  // namespace foretrace::runtime

// In front of every function that takes the place of one of libc's.
#define FORETRACE_INTERCEPT extern "C" __attribute__((visibility("default")))
