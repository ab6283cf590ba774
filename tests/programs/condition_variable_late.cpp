// The value is written after the notification.
// expect race: data-race value
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool ready = false;
int value = 0;

int main() {
  std::thread consumer([] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return ready; });
    lock.unlock();
    value += 1;
  });
  {
    const std::lock_guard guard(mutex);
    ready = true;
  }
  changed.notify_one();
  value = 41;
  consumer.join();
}
