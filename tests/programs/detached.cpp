// A detached thread that says when it is done.
// expect none
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool done = false;
int value = 0;

int main() {
  std::thread([] {
    value = 1;
    const std::lock_guard guard(mutex);
    done = true;
    changed.notify_one();
  }).detach();
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return done; });
  return value != 1;
}
