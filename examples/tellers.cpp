// Tellers who read the rate under a lock, many times, and say who was last without
// one. In nearly every run the lock happens to order them.
#include <mutex>
#include <thread>
#include <vector>

std::mutex settings;
int rate = 3;
int last_teller = 0;
int balances[4 * 16];  // a cache line for each teller

void serve(int teller, int customers) {
  for (int i = 0; i < customers; ++i) {
    if (i == customers / 2) last_teller = teller;
    int today = 0;
    {
      const std::lock_guard<std::mutex> hold(settings);
      today = rate;
    }
    balances[teller * 16] += today;
  }
}

int main() {
  std::vector<std::thread> tellers;
  for (int teller = 0; teller < 4; ++teller) tellers.emplace_back(serve, teller, 60'000);
  for (std::thread& teller : tellers) teller.join();
  return last_teller < 0;
}
