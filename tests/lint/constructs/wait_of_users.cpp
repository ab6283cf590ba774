// A condition variable of the user's that knows its mutex: that it gives the lock back and
// takes it again says nothing of what is held after the guard's end.
#include <condition_variable>
#include <mutex>
#include <thread>

#ifdef __clang__
#define SAYS(x) __attribute__((x))
#else
#define SAYS(x)
#endif

class Mutex {
 public:
  void lock() { m_.lock(); }
  void unlock() { m_.unlock(); }

 private:
  friend class Condition;
  std::mutex m_;
};

class Condition {
 public:
  explicit Condition(Mutex* mutex) : mutex_(mutex) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_->m_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }
  void notify() { changed_.notify_all(); }

 private:
  Mutex* mutex_;
  std::condition_variable changed_;
};

class SAYS(scoped_lockable) Guard {
 public:
  explicit Guard(Mutex* mutex) SAYS(exclusive_lock_function(mutex)) : mutex_(mutex) {
    mutex_->lock();
  }
  ~Guard() SAYS(unlock_function()) { mutex_->unlock(); }

 private:
  Mutex* mutex_;
};

struct Shared {
  Mutex mutex;
  Condition changed{&mutex};
  bool start = false;
  int done = 0;
  int sum = 0;
};

static void work(Shared* shared) {
  {
    Guard guard(&shared->mutex);
    while (!shared->start) shared->changed.wait();
  }
  shared->sum++;  // EXPECT: data-race
  {
    Guard guard(&shared->mutex);
    shared->done++;
  }
}

int main() {
  Shared shared;
  std::thread a(work, &shared), b(work, &shared);
  {
    Guard guard(&shared.mutex);
    shared.start = true;
    shared.changed.notify();
  }
  a.join();
  b.join();
  return shared.sum;
}
