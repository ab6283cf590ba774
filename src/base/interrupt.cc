#include "base/interrupt.h"

#include <atomic>
#include <csignal>

namespace foretrace {
namespace {

std::atomic<bool> came = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void catch_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { came.store(true); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return came.load(); }

bool take_interrupt() {
  if (!came.exchange(false)) return false;
  catch_interrupt();
  return true;
}

}  // namespace foretrace
