// Double-checked initialisation with a plain flag.
// expect race: data-race ready
// possible: data-race value
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;
int value = 0;

int use() {
  if (!ready) {
    const std::lock_guard guard(mutex);
    if (!ready) {
      value = 42;
      ready = true;
    }
  }
  return value;
}

int main() {
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
}
