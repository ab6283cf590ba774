// An eventfd wakes a thread that waits for it by epoll, and what was prepared for the
// wait is ordered before it.
// expect none
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct Watch {
  int file;
  int calls;
};

static int waiting;
static int message;

static void* loop(void* unused) {
  struct epoll_event event;
  uint64_t count;
  if (epoll_wait(waiting, &event, 1, -1) != 1) return unused;
  struct Watch* const watch = event.data.ptr;
  ++watch->calls;
  if (read(watch->file, &count, sizeof(count)) != sizeof(count)) return unused;
  ++message;
  return unused;
}

int main(void) {
  pthread_t thread;
  waiting = epoll_create1(0);
  const int file = eventfd(0, 0);
  const int copy = dup(file);
  pthread_create(&thread, 0, loop, 0);

  struct Watch watch;
  watch.file = file;
  watch.calls = 0;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = &watch};
  if (epoll_ctl(waiting, EPOLL_CTL_ADD, file, &event) != 0) return 1;
  message = 1;
  if (eventfd_write(copy, 1) != 0) return 1;
  pthread_join(thread, 0);
  return 0;
}
