// Loops that read the same again and again, and write x once they have found another value: a race
// on what they read, none that could happen on x.
// expect race: data-race *one*
// possible: data-race flags*
#include <chrono>
#include <thread>
#include <vector>

int flags[16], one_flag;
long x, z;
double other[64];

// Sums them up in each round.
__attribute__((noinline)) void sum_up(long count, long rounds) {
  for (long k = 0; k != rounds; ++k) {
    long sum = 0;
    for (long i = 0; i != count; ++i) sum += flags[i];
    other[k & 7] = 1;
    if (sum != 0) x = 1;
  }
}

// Looks at one in each round, beside others.
__attribute__((noinline)) void look(int* a, const long* c, const int* one, long rounds) {
  double slow = 1;
  for (long k = 0; k != rounds; ++k) {
    for (int i = 0; i < 10; ++i) slow = 1 / (slow + static_cast<double>(i));
    a[k] = static_cast<int>(slow * 5);
    if (c[k] > 3) z = k;
    if (*one != 0) x = 1;
  }
}

int main() {
  constexpr long kRounds = 300'000;
  std::vector<int> a(kRounds);
  const std::vector<long> c(kRounds);
  const auto set = [](int& one) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    x = 2;
    asm volatile("" ::: "memory");
    one = 1;
  };
  std::thread sums([] { sum_up(16, 10 * kRounds); });
  std::thread sets([=] { set(flags[7]); });
  sums.join();
  sets.join();
  std::thread looks([&] { look(a.data(), c.data(), &one_flag, kRounds); });
  std::thread sets_one([=] { set(one_flag); });
  looks.join();
  sets_one.join();
}
