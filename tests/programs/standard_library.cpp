// Much of the C++ library at once, used as it should be: streams, regular expressions, locales,
// pools, shared pointers, futures, stop tokens, barriers. Its own code has no hooks but for
// what is in headers. (Not std::atomic<std::shared_ptr>: in libstdc++ 12 its load() lets go of the
// pointer by a relaxed operation, and hb says so.)
// expect none
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <future>
#include <iomanip>
#include <iostream>
#include <latch>
#include <locale>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <random>
#include <regex>
#include <semaphore>
#include <shared_mutex>
#include <sstream>
#include <stop_token>
#include <string>
#include <syncstream>
#include <thread>
#include <vector>

static std::pmr::synchronized_pool_resource pool;
static std::shared_ptr<int> old_style = std::make_shared<int>(1);
static std::exception_ptr error;
static std::once_flag once;
static std::string shared_text;

static void work(int n) {
  // The same in whatever order.
  std::osyncstream(std::cout) << "li" << "ne" << std::endl;
  std::cout << "line\n" << std::flush;
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << std::setw(5) << n << std::hex << n << 1.5;
  std::regex r("([a-z]+)([0-9]+)");
  std::smatch m;
  std::string t = "abc" + std::to_string(n);
  std::regex_match(t, m, r);
  std::pmr::vector<int> v(&pool);
  for (int i = 0; i < 100; ++i) v.push_back(i);
  auto q = std::atomic_load(&old_style);
  std::atomic_store(&old_style, std::make_shared<int>(*q + 1));
  std::call_once(once, [] { shared_text = "ready"; });
  if (shared_text.size() != 5) std::abort();
  if (!std::filesystem::exists("/")) std::abort();
  std::locale l("");
  thread_local std::map<int, int> mine;
  mine[n] = 1;
}

int main() {
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < 3; ++i) all.emplace_back(work, i);
  }
  auto deferred = std::async(std::launch::deferred, [] { return 1; });
  int by_async = 0;
  auto started = std::async(std::launch::async, [&] {
    by_async = 5;
    return 2;
  });
  started.get();
  by_async += deferred.get();
  auto shared = std::async(std::launch::async, [] { return std::string("x"); }).share();
  std::thread a([shared] { (void)shared.get().size(); }),
      b([shared] { (void)shared.get().size(); });
  a.join();
  b.join();
  int stopped = 0;
  int told_by_main = 0;
  {
    std::jthread t([&](std::stop_token s) {
      std::mutex m;
      std::condition_variable_any c;
      std::unique_lock l(m);
      c.wait(l, s, [] { return false; });
      stopped = 1;
    });
    std::stop_callback told(t.get_stop_token(), [&] { told_by_main = 1; });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stopped = 2;
    t.request_stop();
    told_by_main += 1;
  }
  int phases = 0;
  {
    std::barrier bar(2, [&]() noexcept { ++phases; });
    auto f = [&] {
      for (int i = 0; i < 5; ++i) bar.arrive_and_wait();
    };
    std::thread x(f), y(f);
    x.join();
    y.join();
  }
  int value = 0;
  std::latch done(1);
  std::thread z([&] {
    value = 1;
    done.count_down();
  });
  done.wait();
  value += 1;
  z.join();
  std::binary_semaphore s(0);
  std::thread w([&] {
    try {
      throw std::runtime_error("x");
    } catch (...) {
      error = std::current_exception();
    }
    s.release();
  });
  s.acquire();
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    std::cout << e.what() << "\n";
  }
  error = nullptr;
  w.join();
  std::shared_timed_mutex stm;
  int g = 0;
  std::thread u([&] {
    if (stm.try_lock_for(std::chrono::seconds(1))) {
      g = 1;
      stm.unlock();
    }
  });
  {
    std::shared_lock l(stm);
    (void)g;
  }
  u.join();
  std::atomic<int> ai{0};
  int behind = 0;
  std::thread n1([&] {
    behind = 3;
    ai = 1;
    ai.notify_all();
  });
  ai.wait(0);
  n1.join();
  const bool right = behind == 3 && phases == 5 && value == 2 && stopped == 1 &&
                     told_by_main == 2 && by_async == 6 && *old_style > 1;
  return right ? 0 : 1;
}
