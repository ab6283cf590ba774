// The caller is to blame, not the methods that each are atomic.
#include <mutex>
#include <thread>

class Counter {
 public:
  int get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return value_;
  }
  void set(int value) {
    std::lock_guard<std::mutex> lock(mutex_);
    value_ = value;
  }

 private:
  mutable std::mutex mutex_;
  int value_ = 0;
};

static void increment(Counter& counter) {
  const int old = counter.get();
  counter.set(old + 1);  // EXPECT: RwW
}

static void run(Counter* counter) { increment(*counter); }

int main() {
  Counter counter;
  std::thread a(run, &counter), b(run, &counter);
  a.join();
  b.join();
}
