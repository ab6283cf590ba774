// Section 3.6.11, the additional test: the reads of the counters are in blocks too. No race.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

class Event {
 public:
  int get_count() {
    {
      std::lock_guard lock(mutex_);
      return count;
    }
  }
  void wait_for_event(int remote_count) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (remote_count == count) changed_.wait(lock);
  }
  void signal_event() {
    std::lock_guard<std::mutex> lock(mutex_);
    count = (count + 1) % 100;
    changed_.notify_all();
  }

 private:
  int count = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

class FirstTask {
 public:
  FirstTask(Event& event1, Event& event2, int iterations)
      : event1_(event1), event2_(event2), iterations_(iterations) {}

  void run() {
    int count = event1_.get_count();
    for (int i = 0; i < iterations_; i++) {
      event1_.wait_for_event(count);
      count = event1_.get_count();
      event2_.signal_event();
    }
  }

 private:
  Event& event1_;
  Event& event2_;
  int iterations_;
};

class SecondTask {
 public:
  SecondTask(Event& event1, Event& event2, int iterations)
      : event1_(event1), event2_(event2), iterations_(iterations) {}

  void run() {
    int count = event2_.get_count();
    for (int i = 0; i < iterations_; i++) {
      event1_.signal_event();
      event2_.wait_for_event(count);
      count = event2_.get_count();
    }
  }

 private:
  Event& event1_;
  Event& event2_;
  int iterations_;
};

int main() {
  constexpr int kTasks = 1;
  constexpr int kIterations = 12;
  Event event1;
  Event event2;
  std::vector<std::thread> threads;
  for (int i = 0; i < kTasks; i++) {
    threads.emplace_back([&] { FirstTask(event1, event2, kIterations).run(); });
  }
  for (int i = 0; i < kTasks; i++) {
    threads.emplace_back([&] { SecondTask(event1, event2, kIterations).run(); });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("c1: %d\n", event1.get_count());
  std::printf("c2: %d\n", event2.get_count());
}
