// The halves overlap by one element.
// expect race: data-race *
#include <thread>
#include <vector>

int main() {
  std::vector<int> numbers(1000);
  const auto fill = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) numbers[i] = static_cast<int>(i);
  };
  std::thread first(fill, 0, 501);
  std::thread second(fill, 500, 1000);
  first.join();
  second.join();
}
