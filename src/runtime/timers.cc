// Timers and message queues that call a function in a thread of libc's own (SIGEV_THREAD). It
// comes after what was done before the timer was set, or the message sent.
#include <csignal>
#include <cstdint>
#include <ctime>

#include <mqueue.h>

#include "runtime/channels.h"
#include "runtime/memory.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// What the program wants to be called: once for a message. A timer's is never given back, for a
// call may be on its way when the timer is deleted.
struct Notification {
  void (*function)(sigval);
  sigval value;
  Numbered kind;
  uint64_t number;
};

void notify(sigval ours) {
  auto* const wanted = static_cast<Notification*>(ours.sival_ptr);
  const Notification call = *wanted;
  if (call.kind == Numbered::message_queue) release_memory(wanted);
  receive_from(call.kind, call.number);
  call.function(call.value);
}

bool calls_function(const sigevent* event) {
  return event != nullptr && event->sigev_notify == SIGEV_THREAD &&
         event->sigev_notify_function != nullptr;
}

// Null if there is no memory.
Notification* instead_of(sigevent& event, Numbered kind, uint64_t number) {
  auto* const wanted = static_cast<Notification*>(allocate_memory(sizeof(Notification)));
  if (wanted == nullptr) return nullptr;
  *wanted = {event.sigev_notify_function, event.sigev_value, kind, number};
  event.sigev_notify_function = notify;
  event.sigev_value.sival_ptr = wanted;
  return wanted;
}

uint64_t number_of(timer_t timer) { return reinterpret_cast<uint64_t>(timer); }

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  if (!calls_function(event)) return real().timer_create(clock, event, timer);
  sigevent changed = *event;
  Notification* const wanted = instead_of(changed, Numbered::timer, 0);
  const int status = real().timer_create(clock, wanted != nullptr ? &changed : event, timer);
  if (wanted == nullptr) return status;
  if (status == 0) {
    wanted->number = number_of(*timer);  // it calls nothing before it is set
  } else {
    release_memory(wanted);
  }
  return status;
}

FORETRACE_INTERCEPT int timer_settime(timer_t timer, int flags, const itimerspec* time,
                                      itimerspec* before) {
  send_by(Numbered::timer, number_of(timer));
  return real().timer_settime(timer, flags, time, before);
}

FORETRACE_INTERCEPT int mq_notify(mqd_t queue, const sigevent* event) {
  if (!calls_function(event)) return real().mq_notify(queue, event);
  sigevent changed = *event;
  const uint64_t number = queue_of(queue);
  send_by(Numbered::message_queue, number);
  Notification* const wanted = instead_of(changed, Numbered::message_queue, number);
  const int status = real().mq_notify(queue, wanted != nullptr ? &changed : event);
  if (wanted != nullptr && status != 0) release_memory(wanted);
  return status;
}
