// Two threads append to one vector.
// expect race: data-race *
#include <thread>
#include <vector>

std::vector<int> numbers;

int main() {
  numbers.reserve(8);
  std::thread first([] { numbers.push_back(1); });
  first.join();
  std::thread second([] { numbers.push_back(2); });
  numbers.push_back(3);
  second.join();
}
