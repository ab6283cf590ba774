// A timer's handler changes an atomic counter that the thread it interrupts looks at all
// the time: it must not wait for what that thread holds.
// expect none
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static atomic_int ticks;

static void tick(int number) {
  (void)number;
  atomic_fetch_add(&ticks, 1);
}

int main(void) {
  signal(SIGALRM, tick);
  const struct itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, 0);
  while (atomic_load(&ticks) < 300) atomic_fetch_add(&ticks, 0);
  return 0;
}
