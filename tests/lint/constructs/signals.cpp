// Order by promises, latches, barriers, semaphores and atomic flags: it cannot be proved that
// they wait for all, so it is of low confidence. What comes after the signal is reported.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <semaphore>
#include <thread>

static int promised, moved, latched, released, posted, flagged, met, before, after_flag, after_release;
static std::latch latch(2);
static std::binary_semaphore semaphore(0);
static std::barrier barrier(2);
static std::atomic<bool> ready{false};
static sem_t old;

static void fulfil(std::promise<int> promise) {
  moved = 1;
  promise.set_value(3);
}

int main() {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  std::thread a([&] {
    promised = 1;
    promise.set_value();
  });
  future.get();
  promised = 2;

  std::promise<int> other;
  auto result = other.get_future();
  std::thread b(fulfil, std::move(other));
  result.wait();
  moved = 2;

  std::thread c([] {
    latched = 1;
    latch.count_down();
  });
  latch.wait();
  latched = 2;

  std::thread d([] {
    released = 1;
    semaphore.release();
    after_release = 1;  //#release
  });
  semaphore.acquire();
  released = 2;
  after_release = 2;  // EXPECT: data-race wr with wr #release

  sem_init(&old, 0, 0);
  std::thread e([] {
    posted = 1;
    sem_post(&old);
  });
  sem_wait(&old);
  posted = 2;

  std::thread f([] {
    flagged = 1;
    ready.store(true);
    after_flag = 1;  //#flag
  });
  while (!ready.load()) std::this_thread::yield();
  flagged = 2;
  after_flag = 2;  // EXPECT: data-race wr with wr #flag

  std::thread g([] {
    met = 1;
    barrier.arrive_and_wait();
    before = 2;
  });
  before = 1;
  barrier.arrive_and_wait();
  met = 2;

  for (std::thread* thread : {&a, &b, &c, &d, &e, &f, &g}) thread->join();
}
