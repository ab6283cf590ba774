// A look and an act in two blocks, over containers of the library.
#include <map>
#include <mutex>
#include <queue>
#include <string>
#include <thread>

class Jobs {
 public:
  bool empty() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return queue_.empty();
  }
  int pop() {
    std::lock_guard<std::mutex> lock(mutex_);
    const int job = queue_.front();
    queue_.pop();
    return job;
  }
  void push(int job) {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push(job);
  }
  bool try_pop(int* job) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (queue_.empty()) return false;
    *job = queue_.front();
    queue_.pop();
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::queue<int> queue_;
};

static Jobs jobs;

static void bad() {
  if (!jobs.empty()) {
    jobs.pop();  // EXPECT: RwW
  }
}

static void good() {
  int job;
  jobs.try_pop(&job);
}

static void fill() { jobs.push(1); }

int main() {
  std::thread a(bad), b(bad), c(good), d(fill);
  a.join();
  b.join();
  c.join();
  d.join();
}
