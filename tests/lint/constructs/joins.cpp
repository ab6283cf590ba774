// Ways to wait for threads: after each of them nothing is parallel.
#include <pthread.h>

#include <algorithm>
#include <future>
#include <list>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

static int waited, temporary, deferred, copied, moved, each, iterated, held, pending;

static void* count_copied(void*) {
  copied = 1;  //#copied EXPECT: data-race wr with wr #copied
  return nullptr;
}
static void count_moved() { moved++; }
static void count_each() {
  each = 1;  //#each EXPECT: data-race wr with wr #each
}
static void count_iterated() {
  iterated = 1;  //#iterated EXPECT: data-race wr with wr #iterated
}
static void count_held() { held++; }

static void futures() {
  auto future = std::async(std::launch::async, [] { waited++; });
  future.wait();
  waited++;
  std::async(std::launch::async, [] { temporary++; }).get();
  temporary++;
  auto later = std::async(std::launch::deferred, [] { deferred++; });
  deferred++;
  later.get();
  auto open = std::async(std::launch::async | std::launch::deferred, [] {
    pending++;  // EXPECT: data-race wr with wr #pending; data-race rd with wr #pending
  });
  pending = 0;  //#pending
}

static void threads() {
  pthread_t ids[2];
  for (auto& id : ids) pthread_create(&id, nullptr, count_copied, nullptr);
  for (const auto id : ids) pthread_join(id, nullptr);
  copied++;
  std::vector<std::thread> all;
  std::thread one(count_moved);
  all.push_back(std::move(one));
  all[0].join();
  moved++;
  std::vector<std::thread> some;
  for (int i = 0; i < 2; i++) some.push_back(std::thread(count_each));
  std::for_each(some.begin(), some.end(), [](std::thread& thread) { thread.join(); });
  each++;
  std::list<std::thread> list;
  for (int i = 0; i < 2; i++) list.emplace_back(count_iterated);
  for (auto it = list.begin(); it != list.end(); ++it) it->join();
  iterated++;
  for (auto& thread : list) thread = std::thread(count_iterated);
  for (auto& thread : list) {
    if (thread.joinable()) thread.join();
  }
  iterated++;
  const auto pointer = std::make_unique<std::thread>(count_held);
  pointer->join();
  held++;
}

int main() {
  futures();
  threads();
}
