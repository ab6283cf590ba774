// Sections in which a thread waits for one who wants to come in: a healing lock
// without care would be a deadlock. The argument says what it waits for.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

int x = 0;
int y = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
sem_t held;     // the second thread has the lock,
sem_t entered;  // and the first is in its section
sem_t wanted;
int pipes[2];
bool ready = false;
std::atomic<bool> flag{false};

void take_lock() {
  sem_wait(&held);
  const int seen = x;  // ENTRY lock:x read
  sem_post(&entered);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = seen + 1;  // END lock:x write read
}
void hold_lock() {
  pthread_mutex_lock(&mutex);
  sem_post(&held);
  sem_wait(&entered);
  x = 7;
  pthread_mutex_unlock(&mutex);
}

void take_read_lock() {
  sem_wait(&held);
  const int seen = x;  // ENTRY rwlock:x read
  sem_post(&entered);
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  x = seen + 1;  // END rwlock:x write read
}
void hold_write_lock() {
  pthread_rwlock_wrlock(&rwlock);
  sem_post(&held);
  sem_wait(&entered);
  x = 7;
  pthread_rwlock_unlock(&rwlock);
}

// Two healing locks in two orders.
void x_then_y() {
  const int seen = x;  // ENTRY outer_x:x read
  sem_post(&entered);
  sem_wait(&wanted);
  const int other = y;  // ENTRY inner_y:y read
  y = other + 1;        // END inner_y:y write read
  x = seen + 1;         // END outer_x:x write read
}
void y_then_x() {
  sem_wait(&entered);
  const int seen = y;  // ENTRY outer_y:y read
  sem_post(&wanted);
  const int other = x;  // ENTRY inner_x:x read
  x = other + 1;        // END inner_x:x write read
  y = seen + 1;         // END outer_y:y write read
}

void wait_for_condition() {
  const int seen = x;  // ENTRY condition:x read
  pthread_mutex_lock(&mutex);
  sem_post(&entered);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  x = seen + 1;  // END condition:x write read
}
void signal_condition() {
  sem_wait(&entered);
  x = 7;
  pthread_mutex_lock(&mutex);
  ready = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

void wait_for_semaphore() {
  const int seen = x;  // ENTRY semaphore:x read
  sem_post(&entered);
  sem_wait(&wanted);
  x = seen + 1;  // END semaphore:x write read
}
void post_semaphore() {
  sem_wait(&entered);
  x = 7;
  sem_post(&wanted);
}

void set_x() { x = 7; }
void wait_for_thread() {
  const int seen = x;  // ENTRY join:x read
  std::thread inner(set_x);
  inner.join();
  x = seen + 1;  // END join:x write read
}

// What interceptors do not see.
void wait_for_pipe() {
  char byte = 0;
  const int seen = x;  // ENTRY pipe:x read
  sem_post(&entered);
  (void)!read(pipes[0], &byte, 1);
  x = seen + 1;  // END pipe:x write read
}
void write_pipe() {
  sem_wait(&entered);
  x = 7;
  (void)!write(pipes[1], "x", 1);
}
void wait_for_flag() {
  const int seen = x;  // ENTRY flag:x read
  sem_post(&entered);
  while (!flag.load()) {
  }
  x = seen + 1;  // END flag:x write read
}
void set_flag() {
  sem_wait(&entered);
  x = 7;
  flag.store(true);
}

int main(int count, char** words) {
  const char* const how = count > 1 ? words[1] : "";
  sem_init(&held, 0, 0);
  sem_init(&entered, 0, 0);
  sem_init(&wanted, 0, 0);
  (void)!pipe(pipes);
  const struct {
    const char* name;
    void (*first)();
    void (*second)();
  } pairs[] = {{"lock", take_lock, hold_lock},
               {"rwlock", take_read_lock, hold_write_lock},
               {"circle", x_then_y, y_then_x},
               {"condition", wait_for_condition, signal_condition},
               {"semaphore", wait_for_semaphore, post_semaphore},
               {"join", wait_for_thread, [] {}},
               {"pipe", wait_for_pipe, write_pipe},
               {"flag", wait_for_flag, set_flag}};
  for (const auto& pair : pairs) {
    if (std::strcmp(how, pair.name) != 0) continue;
    std::thread second(pair.second);
    std::thread first(pair.first);
    first.join();
    second.join();
    return 0;
  }
  return 2;
}
