// A timer and a message queue that call functions in threads of libc's own (SIGEV_THREAD): they
// come after the timer was set, and the message sent.
// expect none
// flags: -lrt
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>

#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <unistd.h>

static int settings;
static int result;
static int asked;
static sem_t called;

static void on_time(sigval value) {
  result = settings + value.sival_int;
  sem_post(&called);
}

static void on_message(sigval value) {
  result = asked + value.sival_int;
  sem_post(&called);
}

static bool by_timer() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = on_time;
  event.sigev_value.sival_int = 2;
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return false;
  settings = 40;
  itimerspec when{};
  when.it_value.tv_nsec = 1'000'000;
  timer_settime(timer, 0, &when, nullptr);
  while (sem_wait(&called) != 0) {
  }
  timer_delete(timer);
  return result == 42;
}

static bool by_queue() {
  const std::string name = "/foretrace-timer-thread-" + std::to_string(getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 1;
  const mqd_t queue = mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, &attributes);
  if (queue == static_cast<mqd_t>(-1)) return true;  // not allowed here
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = on_message;
  event.sigev_value.sival_int = 1;
  const bool is_told = mq_notify(queue, &event) == 0;
  asked = 6;
  mq_send(queue, "x", 1, 0);
  while (is_told && sem_wait(&called) != 0) {
  }
  mq_close(queue);
  mq_unlink(name.c_str());
  return !is_told || result == 7;
}

int main() {
  sem_init(&called, 0, 0);
  const bool right = by_timer() && by_queue();
  std::printf("%d\n", result);
  return right ? 0 : 1;
}
