// std::latch.
// expect none
#include <latch>
#include <thread>

std::latch done(2);
int values[2];

int main() {
  std::thread first([] {
    values[0] = 1;
    done.count_down();
  });
  std::thread second([] {
    values[1] = 2;
    done.count_down();
  });
  done.wait();
  const int sum = values[0] + values[1];
  first.join();
  second.join();
  return sum != 3;
}
