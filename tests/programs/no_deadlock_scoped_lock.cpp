// std::scoped_lock avoids it.
// expect none
#include <mutex>
#include <thread>

std::mutex a;
std::mutex b;
int x = 0;

int main() {
  std::thread first([] {
    const std::scoped_lock both(a, b);
    ++x;
  });
  std::thread second([] {
    const std::scoped_lock both(b, a);
    ++x;
  });
  first.join();
  second.join();
}
