// New threads get their numbers when they are created, so that a number means the
// same thread in every run that creates them in one order.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/real.h"
#include "steering/modules.h"
#include "steering/report.h"
#include "steering/sync.h"

namespace foretrace::steering {
namespace {

struct Start {
  void* (*pthread_body)(void*);
  thrd_start_t c11_body;
  void* argument;
  uint32_t number;
  char started[192];
};

// "T1 <tab> file:line:column" or "T1 <tab> @module+offset".
void describe_start(Start& start, SiteRef site) {
  const ThreadName parent(self.number);
  if (!site.is_known()) {
    std::snprintf(start.started, sizeof start.started, "%s\t", parent.text);
  } else if (site.is_code()) {
    const CodePoint point = point_of(site.code());
    std::snprintf(start.started, sizeof start.started, "%s\t@%s+%lx", parent.text, point.path,
                  point.offset);
  } else {
    std::snprintf(start.started, sizeof start.started, "%s\t%s:%u:%u", parent.text,
                  site.site()->file, site.site()->line, site.site()->column);
  }
}

Start* announce(void* (*pthread_body)(void*), thrd_start_t c11_body, void* argument, SiteRef site) {
  if (!steering_on.load(std::memory_order_relaxed)) return nullptr;
  auto* const start = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (start == nullptr) return nullptr;
  *start = {pthread_body, c11_body, argument, new_thread_number(), {}};
  describe_start(*start, site);
  return start;
}

Start enter_thread(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  std::free(argument);
  self.number = start.number;
  self.numbered = true;
  std::memcpy(self.started, start.started, sizeof self.started);
  const Entry entry;  // makes the thread known to the others
  return start;
}

void* run_pthread(void* argument) {
  const Start start = enter_thread(argument);
  return start.pthread_body(start.argument);
}

int run_c11(void* argument) {
  const Start start = enter_thread(argument);
  return start.c11_body(start.argument);
}

}  // namespace
}  // namespace foretrace::steering

using namespace foretrace::steering;
using foretrace::runtime::real;

FORETRACE_INTERCEPT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                       void* (*body)(void*), void* argument) {
  const SyncPoint point(__builtin_return_address(0));
  Start* const start = announce(body, nullptr, argument, point.site());
  if (start == nullptr) return real().pthread_create(thread, attributes, body, argument);
  const int status = real().pthread_create(thread, attributes, run_pthread, start);
  if (status != 0) std::free(start);
  return status;
}

FORETRACE_INTERCEPT int thrd_create(thrd_t* thread, thrd_start_t body, void* argument) {
  const SyncPoint point(__builtin_return_address(0));
  Start* const start = announce(nullptr, body, argument, point.site());
  if (start == nullptr) return real().thrd_create(thread, body, argument);
  const int status = real().thrd_create(thread, run_c11, start);
  if (status != thrd_success) std::free(start);
  return status;
}
