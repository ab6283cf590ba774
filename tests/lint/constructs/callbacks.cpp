// Functions that are handed to others, which call them under a lock, or under none.
#include <functional>
#include <mutex>
#include <thread>

std::mutex mutex;
int of_template, unlocked;

// One function for each lambda: two lambdas of a function are two of them.
template <typename F>
auto with_lock(F f) {
  std::lock_guard lock(mutex);
  return f();
}

template <typename F>
void call(F&& f) {
  f();
}

void use_templates() {
  int seen = with_lock([] { return of_template; });
  with_lock([seen] { of_template = seen + 1; });  // EXPECT: RwW
  call([] {});
  call([] {
    unlocked = 1;  //#unlocked EXPECT: data-race wr with wr #unlocked
  });
}

int main() {
  std::thread a(use_templates), b(use_templates);
  a.join();
  b.join();
}
