// std::barrier.
// expect none
#include <barrier>
#include <thread>

std::barrier<> phase(2);
int cell[2];
int sum[2];

int main() {
  const auto work = [](int me) {
    for (int i = 0; i < 10; ++i) {
      cell[me] = i;
      phase.arrive_and_wait();
      sum[me] += cell[1 - me];
      phase.arrive_and_wait();
    }
  };
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
  return sum[0] != 45;
}
