// A variable on the stack that threads are given by reference: each call has its own, and only
// threads of that call that still live can meet.
#include <future>
#include <mutex>
#include <thread>

static int waits(int n) {
  int part = 0;
  std::thread worker([&] { part = n; });
  worker.join();
  return part;
}

static int hastens(int n) {
  int part = 0;
  std::thread worker([&] { part = n; });  //#part
  const int result = part;  // EXPECT: data-race rd with wr #part
  worker.join();
  return result;
}

static int sum(const int* values, int count) {
  if (count < 10) return values[0];
  int left = 0;
  auto other = std::async(std::launch::async, [&] { left = sum(values, count / 2); });
  const int right = sum(values + count / 2, count - count / 2);
  other.wait();
  return left + right;
}

static void add(int& to) { to++; }  //#add

static int before_and_after() {
  int value = 0;
  add(value);
  std::thread worker([&] { value = 3; });  // EXPECT: data-race wr with wr #add; data-race wr with rd #add
  add(value);
  worker.join();
  return value;
}

static int several() {
  int value = 0;
  std::thread workers[2];
  for (std::thread& worker : workers) {
    worker = std::thread([&] { value = 1; });  //#value EXPECT: data-race wr with wr #value
  }
  for (std::thread& worker : workers) worker.join();
  return value;
}

static void run() {
  const int values[20] = {};
  waits(1);
  hastens(2);
  before_and_after();
  several();
  sum(values, 20);
}

int main() {
  std::thread a(run), b(run), c(run);
  a.join();
  b.join();
  c.join();
}
