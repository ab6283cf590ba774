// Initialisation that fails and is tried again, by call_once and of a static local: who
// tries comes after who has tried.
// expect none
#include <mutex>
#include <thread>

static std::once_flag once;
static int tries, made;

static void initialise() {
  if (tries++ < 3) throw 1;
}

struct Made {
  Made() {
    if (made++ < 3) throw 2;
  }
};

static void work() {
  for (bool done = false; !done;) {
    try {
      std::call_once(once, initialise);
      static Made object;
      done = true;
    } catch (int) {
    }
  }
}

int main() {
  std::thread first(work), second(work), third(work);
  first.join();
  second.join();
  third.join();
}
