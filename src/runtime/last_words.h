// What a thread does last.
#pragma once

#include <cstdint>

#include <pthread.h>

namespace foretrace::runtime {

// Calls kEnd in the last round of the destructors of pthread keys: destructors of
// thread-local objects run after the thread's body, and have hooks too.
template <void (*kEnd)()>
class LastWords {
 public:
  // Once, before any thread asks for it.
  static void make() { ::pthread_key_create(&key_, count_down); }
  // For the calling thread.
  static void ask() { ::pthread_setspecific(key_, reinterpret_cast<void*>(uintptr_t{4})); }

 private:
  static void count_down(void* rounds) {
    const auto left = reinterpret_cast<uintptr_t>(rounds);
    if (left > 1) {
      ::pthread_setspecific(key_, reinterpret_cast<void*>(left - 1));
    } else {
      kEnd();
    }
  }

  static inline pthread_key_t key_;
};

}  // namespace foretrace::runtime
