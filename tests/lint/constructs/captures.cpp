// A value that goes through what a lambda captures.
// OPTIONS: --confidence high
#include <mutex>
#include <thread>

static std::mutex m;
static int read_by, written_by, copied_by;

static void run() {
  int value = 0;
  const auto read = [&value] {
    std::lock_guard<std::mutex> guard(m);
    value = read_by;
  };
  read();
  {
    std::lock_guard<std::mutex> guard(m);
    read_by = value + 1;  // EXPECT: RwW
  }
  {
    std::lock_guard<std::mutex> guard(m);
    value = written_by;
  }
  const auto write = [&value] {
    std::lock_guard<std::mutex> guard(m);
    written_by = value + 1;  // EXPECT: RwW
  };
  write();
  {
    std::lock_guard<std::mutex> guard(m);
    value = copied_by;
  }
  const auto add = [value] {
    std::lock_guard<std::mutex> guard(m);
    copied_by += value;  // EXPECT: RwW
  };
  add();
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
