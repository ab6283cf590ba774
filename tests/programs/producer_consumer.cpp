// A queue with a lock and two conditions.
// expect none
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

std::mutex mutex;
std::condition_variable not_empty;
std::condition_variable not_full;
std::queue<int> queue;
long sum = 0;

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 200; ++i) {
      std::unique_lock lock(mutex);
      not_full.wait(lock, [] { return queue.size() < 4; });
      queue.push(i);
      not_empty.notify_one();
    }
  });
  std::thread consumer([] {
    for (int i = 1; i <= 200; ++i) {
      std::unique_lock lock(mutex);
      not_empty.wait(lock, [] { return !queue.empty(); });
      sum += queue.front();
      queue.pop();
      not_full.notify_one();
    }
  });
  producer.join();
  consumer.join();
  return sum != 20100;
}
