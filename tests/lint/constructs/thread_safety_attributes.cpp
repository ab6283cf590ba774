// A lock class of the user's with Clang's thread-safety attributes.
#include <mutex>
#include <thread>

#if defined(__clang__)
#define TSA(x) __attribute__((x))
#else
#define TSA(x)
#endif

class TSA(capability("mutex")) Mutex {
 public:
  void lock() TSA(acquire_capability());
  void unlock() TSA(release_capability());
};

class TSA(scoped_lockable) Guard {
 public:
  explicit Guard(Mutex& mutex) TSA(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Guard() TSA(release_capability()) { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

static Mutex m;
static int bad, good;

static void add_locked(int value) TSA(requires_capability(m));
static void add_locked(int value) { good += value; }

static void run() {
  int value;
  {
    Guard guard(m);
    value = bad;
    add_locked(value);
  }
  Guard guard(m);
  bad = value + 1;  // EXPECT: RwW
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
