// What went wrong in dlsym() is still there when the program asks, though it has locked,
// allocated and accessed memory since: the runtime looks nothing up then.
// expect none
// flags: -ldl
#include <cstdio>
#include <mutex>
#include <thread>

#include <dlfcn.h>

static std::mutex m;
static int* counted;

static void count() {
  static int* const once = new int(0);
  std::lock_guard<std::mutex> lock(m);
  if (counted == nullptr) counted = once;
  ++*counted;
}

int main() {
  if (dlsym(RTLD_DEFAULT, "foretrace_has_no_such_function") != nullptr) return 2;
  count();
  const char* const wrong = dlerror();
  if (wrong == nullptr) return 1;
  std::thread other(count);
  count();
  other.join();
  std::printf("%d\n", *counted);
  return *counted == 3 ? 0 : 3;
}
