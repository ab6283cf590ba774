// The functions that the runtime stands in front of, as libc has them.
#pragma once

#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

// The same with a check that the compiler adds (_FORTIFY_SOURCE).
extern "C" ssize_t __read_chk(int, void*, size_t, size_t);
extern "C" ssize_t __recv_chk(int, void*, size_t, size_t, int);
extern "C" [[noreturn]] void __longjmp_chk(__jmp_buf_tag*, int) noexcept;
extern "C" ssize_t __recvfrom_chk(int, void*, size_t, size_t, int, sockaddr*, socklen_t*);
extern "C" int __poll_chk(pollfd*, nfds_t, int, size_t);
extern "C" int __ppoll_chk(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t);

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
  X(epoll_create, "GLIBC_2.3.2")              \
  X(epoll_create1, "GLIBC_2.9")               \
  X(fcntl, "GLIBC_2.2.5")                     \
  X(bind, "GLIBC_2.2.5")                      \
  X(connect, "GLIBC_2.2.5")                   \
  X(read, "GLIBC_2.2.5")                      \
  X(readv, "GLIBC_2.2.5")                     \
  X(recv, "GLIBC_2.2.5")                      \
  X(recvfrom, "GLIBC_2.2.5")                  \
  X(recvmsg, "GLIBC_2.2.5")                   \
  X(recvmmsg, "GLIBC_2.12")                   \
  X(__read_chk, "GLIBC_2.4")                  \
  X(__recv_chk, "GLIBC_2.4")                  \
  X(__recvfrom_chk, "GLIBC_2.4")              \
  X(write, "GLIBC_2.2.5")                     \
  X(writev, "GLIBC_2.2.5")                    \
  X(send, "GLIBC_2.2.5")                      \
  X(sendto, "GLIBC_2.2.5")                    \
  X(sendmsg, "GLIBC_2.2.5")                   \
  X(sendmmsg, "GLIBC_2.14")                   \
  X(eventfd_read, "GLIBC_2.7")                \
  X(eventfd_write, "GLIBC_2.7")               \
  X(sendfile, "GLIBC_2.2.5")                  \
  X(splice, "GLIBC_2.5")                      \
  X(shutdown, "GLIBC_2.2.5")                  \
  X(poll, "GLIBC_2.2.5")                      \
  X(ppoll, "GLIBC_2.4")                       \
  X(__poll_chk, "GLIBC_2.16")                 \
  X(__ppoll_chk, "GLIBC_2.16")                \
  X(select, "GLIBC_2.2.5")                    \
  X(pselect, "GLIBC_2.2.5")                   \
  X(epoll_ctl, "GLIBC_2.3.2")                 \
  X(epoll_wait, "GLIBC_2.3.2")                \
  X(epoll_pwait, "GLIBC_2.6")                 \
  X(mq_send, "GLIBC_2.34")                    \
  X(mq_timedsend, "GLIBC_2.34")               \
  X(mq_receive, "GLIBC_2.34")                 \
  X(mq_timedreceive, "GLIBC_2.34")            \
  X(mq_notify, "GLIBC_2.34")                  \
  X(timer_create, "GLIBC_2.34")               \
  X(timer_settime, "GLIBC_2.34")              \
  X(msgsnd, "GLIBC_2.2.5")                    \
  X(msgrcv, "GLIBC_2.2.5")                    \
  X(semop, "GLIBC_2.2.5")                     \
  X(semtimedop, "GLIBC_2.3.3")                \
  X(kill, "GLIBC_2.2.5")                      \
  X(raise, "GLIBC_2.2.5")                     \
  X(sigqueue, "GLIBC_2.2.5")                  \
  X(tgkill, "GLIBC_2.30")                     \
  X(pthread_kill, "GLIBC_2.34")               \
  X(pthread_sigqueue, "GLIBC_2.34")           \
  X(sigaction, "GLIBC_2.2.5")                 \
  X(signal, "GLIBC_2.2.5")                    \
  X(sigwait, "GLIBC_2.2.5")                   \
  X(sigwaitinfo, "GLIBC_2.2.5")               \
  X(sigtimedwait, "GLIBC_2.2.5")              \
  X(sigsuspend, "GLIBC_2.2.5")                \
  X(pause, "GLIBC_2.2.5")                     \
  X(longjmp, "GLIBC_2.2.5")                   \
  X(_longjmp, "GLIBC_2.2.5")                  \
  X(siglongjmp, "GLIBC_2.2.5")                \
  X(__longjmp_chk, "GLIBC_2.11")              \
  X(_Fork, "GLIBC_2.34")                      \
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
