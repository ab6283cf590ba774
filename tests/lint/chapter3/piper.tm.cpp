// Section 3.6.10: a plane with two seats. The error is an `if` around a wait that should
// be a `while`; it has nothing to do with races, and there is none.
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Piper {
 public:
  Piper(int fill_count, int seats)
      : seats_(seats), passengers_(seats), fill_count_(fill_count), empty_count_(fill_count) {}

  void fill_plane(const char* name) {
    if (is_full()) {  // BUG: should be while
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock);
    }
    load_passenger(name);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      changed_.notify_all();
    }
  }
  const char* empty_plane() {
    while (is_empty()) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock);
    }
    const char* const name = unload_passenger();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      changed_.notify_all();
    }
    return name;
  }

 private:
  bool is_full() {
    __transaction_relaxed { return (last_ + 1) % seats_ == first_; }
  }
  bool is_empty() {
    __transaction_relaxed { return first_ == last_; }
  }
  void load_passenger(const char* name) {
    __transaction_relaxed {
      passengers_[last_] = name;  // loads the passenger
      if (--fill_count_ == 0) close_file();
      last_ = (last_ + 1) % seats_;
    }
  }
  const char* unload_passenger() {
    __transaction_relaxed {
      const char* const name = passengers_[first_];
      empty_count_--;
      first_ = (first_ + 1) % seats_;
      return name;
    }
  }
  void close_file() {}

  const int seats_;  // so the capacity is one less
  int first_ = 0, last_ = 0;
  std::vector<const char*> passengers_;
  int fill_count_;
  int empty_count_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

class Producer {
 public:
  Producer(Piper& piper, const char* name) : piper_(piper), name_(name) {}
  void run() { piper_.fill_plane(name_); }

 private:
  Piper& piper_;
  const char* name_;
};

class Consumer {
 public:
  explicit Consumer(Piper& piper) : piper_(piper) {}
  void run() { piper_.empty_plane(); }

 private:
  Piper& piper_;
};

int main() {
  constexpr int kThreads = 32;
  Piper piper(kThreads, 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) {
    threads.emplace_back([&piper] { Consumer(piper).run(); });
    threads.emplace_back([&piper] { Producer(piper, "passenger").run(); });
  }
  for (std::thread& thread : threads) thread.join();
}
