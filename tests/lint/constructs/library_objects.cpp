// Objects of the standard library: what is assigned, reset, sorted or drawn from is written.
#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

std::shared_ptr<int> assigned, emptied;
std::unique_ptr<int> only;
std::optional<int> perhaps;
std::tuple<int, int> both;
std::vector<int> numbers, copies;
std::mt19937 random_numbers(1);
std::function<void()> callback;
std::mutex mutex;
std::pair<int, int> range;

std::pair<int, int> get() {
  std::lock_guard lock(mutex);
  return range;
}

void set(int from, int to) {
  std::lock_guard lock(mutex);
  range = {from, to};
}

void run() {
  assigned = std::make_shared<int>(1);               //#1 EXPECT: data-race wr with wr #1
  emptied.reset();                                   //#2 EXPECT: data-race wr with wr #2
  only = nullptr;                                    //#3 EXPECT: data-race wr with wr #3
  perhaps = std::nullopt;                            //#4 EXPECT: data-race wr with wr #4
  both = std::make_tuple(1, 2);                      //#5 EXPECT: data-race wr with wr #5
  std::sort(numbers.begin(), numbers.end());         //#6 EXPECT: data-race wr with wr #6
  std::copy_n("1", 1, std::back_inserter(copies));   //#7 EXPECT: data-race wr with wr #7
  random_numbers();                                  //#8 EXPECT: data-race wr with wr #8
  auto [from, to] = get();
  set(from, to + 1);  // EXPECT: RwW
}

void call() {
  callback();  //#call
}
void replace() {
  callback = [] {};  // EXPECT: data-race wr with rd #call
}

int main() {
  std::thread a(run), b(run), c(call), d(replace);
  a.join();
  b.join();
  c.join();
  d.join();
}
