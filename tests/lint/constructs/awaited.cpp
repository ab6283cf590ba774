// A thread that counts under a lock when it is done, and another one that waits for the
// counter: what comes before and after is in order if all are waited for. Such pairs are of
// low confidence, and not reported; awaited_low.cpp asks for them.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable changed;
static int done, ready, asked;
static bool stopped;
static int counted, by_helper, too_late, other_exit, other_counter, with_if, rounds;

static void count_one() {
  std::lock_guard<std::mutex> lock(m);
  ++ready;
  changed.notify_all();
}

static void worker() {
  counted = 1;
  {
    std::lock_guard<std::mutex> lock(m);
    ++done;
    changed.notify_all();
  }
  too_late = 1;  // EXPECT: data-race
}

static void helped() {
  by_helper = 1;
  other_exit = 1;  // EXPECT: data-race
  with_if = 1;     // EXPECT: data-race
  other_counter = 1;  // EXPECT: data-race
  count_one();
}

static void again_and_again() {
  for (int i = 0; i < 10; ++i) {
    rounds = i;  // EXPECT: data-race
    std::lock_guard<std::mutex> lock(m);
    ++asked;
    changed.notify_all();
  }
}

static void wait_for_helped() {
  std::unique_lock<std::mutex> lock(m);
  changed.wait(lock, [] { return ready > 0; });
}

static void wait_or_stop() {
  std::unique_lock<std::mutex> lock(m);
  while (ready == 0) {
    if (stopped) break;
    changed.wait(lock);
  }
}

static void first() {
  {
    std::unique_lock<std::mutex> lock(m);
    while (done < 2) changed.wait(lock);
  }
  counted = 2;
  too_late = 2;  // EXPECT: data-race
  other_counter = 2;  // EXPECT: data-race
}

static void second() {
  std::unique_lock<std::mutex> lock(m);
  changed.wait(lock, [] { return ready > 0; });
  by_helper = 2;
}

static void third() {
  wait_or_stop();
  other_exit = 2;  // EXPECT: data-race
}

static void fourth() {
  {
    std::unique_lock<std::mutex> lock(m);
    if (ready == 0) changed.wait(lock);
  }
  with_if = 2;  // EXPECT: data-race
}

static void fifth() {
  {
    std::unique_lock<std::mutex> lock(m);
    while (asked < 10) changed.wait(lock);
  }
  rounds = 0;  // EXPECT: data-race
}

int main() {
  std::thread a(worker), c(helped), d(again_and_again);
  std::thread one(first), two(second), three(third), four(fourth), five(fifth);
  for (std::thread* thread : {&a, &c, &d, &one, &two, &three, &four, &five}) thread->join();
  wait_for_helped();
}
