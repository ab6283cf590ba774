// A guard class of the user's, without attributes: what it does is seen in its body.
#include <mutex>
#include <thread>

class Guard {
 public:
  explicit Guard(std::mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Guard() { mutex_.unlock(); }

 private:
  std::mutex& mutex_;
};

static std::mutex m;
static int bad, good;

static void run() {
  int value;
  {
    Guard guard(m);
    value = bad;
    good++;
  }
  Guard guard(m);
  bad = value + 1;  // EXPECT: RwW
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
