// What is written after a timer was set is not ordered with what the timer's function reads.
// expect race: data-race settings
#include <csignal>
#include <ctime>

#include <semaphore.h>

static int settings;
static int result;
static sem_t called;

static void on_time(sigval) {
  result = settings;
  sem_post(&called);
}

int main() {
  sem_init(&called, 0, 0);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = on_time;
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 1;
  itimerspec when{};
  when.it_value.tv_nsec = 50'000'000;
  timer_settime(timer, 0, &when, nullptr);
  settings = 1;
  while (sem_wait(&called) != 0) {
  }
  timer_delete(timer);
  return result != 1;
}
