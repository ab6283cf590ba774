// Two readers do not exclude each other; a reader and a writer do.
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
static int good, bad, wrong;

static int read() {
  std::shared_lock<std::shared_mutex> lock(m);
  wrong++;  //#wrong EXPECT: data-race rd with wr #wrong; data-race wr with wr #wrong
  return good + bad;
}

static void run() {
  const int value = read();
  std::unique_lock<std::shared_mutex> lock(m);
  bad = value;  // EXPECT: RwW
  good = 3;
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
