// Two writes that only threads see together that wait for one of them: no WrW. With one that
// does not wait, it is.
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

class Channel {
 public:
  void put(int value) {
    std::lock_guard<std::mutex> guard(mutex_);
    values_.push(value);
    changed_.notify_one();
  }
  void close() {
    std::lock_guard<std::mutex> guard(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  bool take(int& value) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (values_.empty() && !closed_) changed_.wait(lock);
    if (values_.empty()) return false;
    value = values_.front();
    values_.pop();
    return true;
  }
  bool is_done() {
    std::lock_guard<std::mutex> guard(mutex_);
    return closed_ && values_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<int> values_;
  bool closed_ = false;
};

static void take_all(Channel& channel) {
  int value;
  while (channel.take(value)) {
  }
}

int main() {
  Channel silent, watched;
  std::thread a([&] { take_all(silent); });
  std::thread b([&] { take_all(watched); });
  std::thread c([&] { watched.is_done(); });
  silent.put(1);
  silent.close();
  watched.put(1);
  watched.close();  // EXPECT: WrW
  a.join();
  b.join();
  c.join();
}
