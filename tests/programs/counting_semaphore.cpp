// std::counting_semaphore and std::binary_semaphore.
// expect none
// may hang: semaphore_alone
#include <semaphore>
#include <thread>

std::binary_semaphore full(0);
std::counting_semaphore<4> permits(1);
int value = 0;
int counter = 0;

int main() {
  std::thread producer([] {
    value = 41;
    full.release();
    permits.acquire();
    ++counter;
    permits.release();
  });
  full.acquire();
  ++value;
  permits.acquire();
  ++counter;
  permits.release();
  producer.join();
  return value != 42 || counter != 2;
}
