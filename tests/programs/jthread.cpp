// std::jthread joins by itself and stops by a token.
// expect none
#include <thread>

int value = 0;

int main() {
  {
    std::jthread worker([](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      value = 1;
    });
  }
  return value != 1;
}
