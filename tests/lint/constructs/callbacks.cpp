// Functions that are handed to others, which call them under a lock, or under none.
#include <functional>
#include <mutex>
#include <thread>

std::mutex mutex;
int of_template, of_function, of_pointer, unlocked, by_pointer;

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

// What is called depends on who calls.
void with_lock_function(const std::function<void()>& f) {
  std::lock_guard lock(mutex);
  f();
}

void use_functions() {
  int seen = 0;
  with_lock_function([&] { seen = of_function; });
  with_lock_function([&] { of_function = seen + 1; });  // EXPECT: RwW
}

void with_lock_pointer(void (*f)(int*), int* with) {
  std::lock_guard lock(mutex);
  f(with);
}

void call_pointer(void (*f)()) { f(); }

void use_pointers() {
  int seen = 0;
  with_lock_pointer([](int* to) { *to = of_pointer; }, &seen);
  with_lock_pointer([](int* from) { of_pointer = *from + 1; }, &seen);  // EXPECT: RwW
  call_pointer(+[] {
    by_pointer = 1;  //#by_pointer EXPECT: data-race wr with wr #by_pointer
  });
}

int main() {
  int captured = 0;
  auto generic = [&captured](auto number) {
    captured = number;  //#captured EXPECT: data-race wr with wr #captured
  };
  std::thread a(use_templates), b(use_templates), c(use_functions), d(use_functions);
  std::thread e(use_pointers), f(use_pointers), g(generic, 1), h(generic, 'h');
  for (std::thread* thread : {&a, &b, &c, &d, &e, &f, &g, &h}) thread->join();
}
