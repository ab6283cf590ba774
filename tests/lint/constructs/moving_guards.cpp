// A guard that a function returns, that is assigned, that is a member or in an optional: its
// lock is held as long as it lives.
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

static std::mutex m;
static int returned, named, assigned, member, optional, pointer, through, after, ended, reset, listed;

static std::unique_lock<std::mutex> lock() { return std::unique_lock<std::mutex>(m); }
static std::unique_lock<std::mutex> lock_variable() {
  std::unique_lock<std::mutex> guard(m);
  return guard;
}

struct Holder {
  explicit Holder(std::mutex& mutex) : guard(mutex) {}
  std::unique_lock<std::mutex> guard;
};

struct Pair {
  std::lock_guard<std::mutex> guard;
  int& value;
};

struct Value {
  int number = 0;
};

template <typename T>
class Synchronized {
 public:
  struct Locked {
    std::unique_lock<std::mutex> guard;
    T* value;
    T* operator->() { return value; }
  };
  Locked lock() { return Locked{std::unique_lock<std::mutex>(mutex_), &value_}; }

 private:
  std::mutex mutex_;
  T value_{};
};
static Synchronized<Value> synchronised;

static void run() {
  {
    const auto guard = lock();
    returned++;
  }
  {
    auto guard = lock_variable();
    named++;
    guard.unlock();
    after = 1;  //#after EXPECT: data-race wr with wr #after
  }
  {
    std::unique_lock<std::mutex> guard;
    guard = std::unique_lock<std::mutex>(m);
    assigned++;
  }
  {
    Holder holder(m);
    member++;
  }
  {
    std::optional<std::lock_guard<std::mutex>> guard;
    guard.emplace(m);
    optional++;
    guard.reset();
    reset = 1;  //#reset EXPECT: data-race wr with wr #reset
  }
  {
    const auto guard = std::make_unique<std::lock_guard<std::mutex>>(m);
    pointer++;
  }
  {
    Pair pair{std::lock_guard<std::mutex>(m), listed};
    pair.value++;
  }
  const auto locked = synchronised.lock();
  through++;
}

static void run_short() {
  synchronised.lock()->number++;
  lock();
  ended = 1;  //#ended EXPECT: data-race wr with wr #ended
}

int main() {
  std::thread a(run), b(run), c(run_short), d(run_short);
  a.join();
  b.join();
  c.join();
  d.join();
}
