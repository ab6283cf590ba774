// Comments that switch a rule off at a line.
#include <mutex>
#include <thread>

static std::mutex m;
static int x, y, z, raced, also_raced;

static int get(int& v) {
  std::lock_guard<std::mutex> lock(m);
  return v;
}
static void set(int& v, int value) {
  std::lock_guard<std::mutex> lock(m);
  v = value;
}

static void run() {
  const int a = get(x);
  set(x, a + 1);  // foretrace: ignore(RwW)
  const int b = get(y);
  // foretrace: ignore
  set(y, b + 1);
  const int c = get(z);
  set(z, c + 1);  // foretrace: ignore(WrW): another rule   EXPECT: RwW
  raced = 1;      // foretrace: ignore(data-race)
  also_raced = 1;  //#also EXPECT: data-race wr with wr #also
}

int main() {
  std::thread t1(run), t2(run);
  t1.join();
  t2.join();
}
