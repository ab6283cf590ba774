// A lock that the program hides: what it orders is a race to Foretrace. And a wait
// and a barrier that it hides and tells of, which do order.
// compilers: plugin static gcc clang-14
// expect race: data-race hidden
#include <condition_variable>
#include <mutex>
#include <thread>

#include "foretrace/annotate.h"

std::mutex mutex;
std::mutex gate;
std::condition_variable opened;
bool open = false;
std::condition_variable all_here;
int arrived = 0;

int hidden = 0;
int told = 0;
int before_barrier = 0;

void count() {
  FORETRACE_HIDE_BEGIN();
  mutex.lock();
  FORETRACE_HIDE_END();
  ++hidden;
  FORETRACE_HIDE_BEGIN();
  mutex.unlock();
  FORETRACE_HIDE_END();
}

void meet() {
  FORETRACE_BARRIER(&arrived);
  FORETRACE_HIDE_BEGIN();
  {
    std::unique_lock<std::mutex> hold(mutex);
    ++arrived;
    all_here.notify_all();
    all_here.wait(hold, [] { return arrived == 2; });
  }
  FORETRACE_HIDE_END();
}

void wait_for_gate() {
  gate.lock();
  FORETRACE_WAIT_BEGIN(&opened, &gate);
  FORETRACE_HIDE_BEGIN();
  std::unique_lock<std::mutex> hold(gate, std::adopt_lock);
  opened.wait(hold, [] { return open; });
  hold.release();
  FORETRACE_HIDE_END();
  FORETRACE_WAIT_END(&gate);
  ++told;
  gate.unlock();
}

void open_gate() {
  gate.lock();
  ++told;
  FORETRACE_IGNORE_BEGIN();
  open = true;
  FORETRACE_IGNORE_END();
  opened.notify_all();
  gate.unlock();
}

int main() {
  std::thread other([] {
    count();
    before_barrier = 1;
    meet();
    wait_for_gate();
  });
  count();
  meet();
  before_barrier = 2;
  open_gate();
  other.join();
  return hidden != 2 || told != 2 || before_barrier != 2;
}
