// Atomic operations of code that was compiled with -fsanitize=thread: the
// compiler leaves the operation itself to the runtime. All are done in the
// strongest order, which every program allows; recorded is what was asked for.
#include <cstdint>

#include "runtime/atomics.h"
#include "runtime/call_stack.h"
#include "runtime/real.h"

namespace foretrace::runtime {
namespace {

__extension__ using Wide = unsigned __int128;

// 16 bytes are compared and exchanged by one instruction (-mcx16); whatever else
// is asked of them is made of that. libatomic would be more than libc.
template <typename T>
T exchange_if_equal(volatile T* p, T expected, T desired) {
  return __sync_val_compare_and_swap(p, expected, desired);
}
template <typename T, typename Change>
T change(volatile T* p, const Change& changed) {
  T seen = exchange_if_equal<T>(p, 0, 0);
  for (;;) {
    const T found = exchange_if_equal<T>(p, seen, changed(seen));
    if (found == seen) return seen;
    seen = found;
  }
}

template <typename T>
T load(const volatile T* p) {
  if constexpr (sizeof(T) == 16) {
    return exchange_if_equal<T>(const_cast<volatile T*>(p), 0, 0);
  } else {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
}
template <typename T>
T exchange(volatile T* p, T value) {
  if constexpr (sizeof(T) == 16) {
    return change(p, [&](T) { return value; });
  } else {
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);
  }
}

// Of a memory_order; bits above it are hints to the processor.
bool is_relaxed(int order) { return (order & 0x7FFF) == __ATOMIC_RELAXED; }

template <typename T, typename Do>
auto recorded(const volatile T* p, Operation operation, int order, SiteRef site, const Do& action) {
  const auto address = reinterpret_cast<uint64_t>(p);
  AtomicLock* const lock = begin_atomic(address);
  const auto result = action();
  end_atomic(lock, address, sizeof(T), kind_of(operation, is_relaxed(order)), site);
  return result;
}

// A compare-and-exchange that fails has only read.
struct Orders {
  int success;
  int failure;
};
template <typename T>
T compare_exchange(volatile T* p, T expected, T desired, Orders orders, SiteRef site) {
  const auto address = reinterpret_cast<uint64_t>(p);
  AtomicLock* const lock = begin_atomic(address);
  const T found = exchange_if_equal(p, expected, desired);
  const Kind kind = found == expected ? kind_of(Operation::update, is_relaxed(orders.success))
                                      : kind_of(Operation::read, is_relaxed(orders.failure));
  end_atomic(lock, address, sizeof(T), kind, site);
  return found;
}

template <typename T>
int compare_exchange_into(volatile T* p, T* expected, T desired, Orders orders, SiteRef site) {
  const T wanted = *expected;
  const T found = compare_exchange(p, wanted, desired, orders, site);
  *expected = found;
  return found == wanted ? 1 : 0;
}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

#define FORETRACE_HERE (self.frame = FORETRACE_FRAME, SiteRef::before(__builtin_return_address(0)))

// One change of a value, by an expression of `old` and `value`.
#define FORETRACE_CHANGE(bits, T, name, expression)                                                \
  FORETRACE_INTERCEPT T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int order) {    \
    return recorded(p, Operation::update, order, FORETRACE_HERE,                                   \
                    [&] { return change(p, [&](T old) { return static_cast<T>(expression); }); }); \
  }
#define FORETRACE_ATOMICS(bits, T)                                                            \
  FORETRACE_INTERCEPT T __tsan_atomic##bits##_load(const volatile T* p, int order) {          \
    return recorded(p, Operation::read, order, FORETRACE_HERE, [&] { return load(p); });      \
  }                                                                                           \
  FORETRACE_INTERCEPT void __tsan_atomic##bits##_store(volatile T* p, T value, int order) {   \
    recorded(p, Operation::write, order, FORETRACE_HERE, [&] { return exchange(p, value); }); \
  }                                                                                           \
  FORETRACE_INTERCEPT T __tsan_atomic##bits##_exchange(volatile T* p, T value, int order) {   \
    return recorded(p, Operation::update, order, FORETRACE_HERE,                              \
                    [&] { return exchange(p, value); });                                      \
  }                                                                                           \
  FORETRACE_CHANGE(bits, T, add, old + value)                                                 \
  FORETRACE_CHANGE(bits, T, sub, old - value)                                                 \
  FORETRACE_CHANGE(bits, T, and, old& value)                                                  \
  FORETRACE_CHANGE(bits, T, or, old | value)                                                  \
  FORETRACE_CHANGE(bits, T, xor, old ^ value)                                                 \
  FORETRACE_CHANGE(bits, T, nand, ~(old & value))                                             \
  FORETRACE_INTERCEPT int __tsan_atomic##bits##_compare_exchange_strong(                      \
      volatile T* p, T* expected, T desired, int success, int failure) {                      \
    return compare_exchange_into(p, expected, desired, {success, failure}, FORETRACE_HERE);   \
  }                                                                                           \
  FORETRACE_INTERCEPT int __tsan_atomic##bits##_compare_exchange_weak(                        \
      volatile T* p, T* expected, T desired, int success, int failure) {                      \
    return compare_exchange_into(p, expected, desired, {success, failure}, FORETRACE_HERE);   \
  }                                                                                           \
  FORETRACE_INTERCEPT T __tsan_atomic##bits##_compare_exchange_val(                           \
      volatile T* p, T expected, T desired, int success, int failure) {                       \
    return compare_exchange(p, expected, desired, {success, failure}, FORETRACE_HERE);        \
  }
FORETRACE_ATOMICS(8, uint8_t)
FORETRACE_ATOMICS(16, uint16_t)
FORETRACE_ATOMICS(32, uint32_t)
FORETRACE_ATOMICS(64, uint64_t)
FORETRACE_ATOMICS(128, Wide)

FORETRACE_INTERCEPT void __tsan_atomic_thread_fence(int order) {
  if (!is_relaxed(order)) record_fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
FORETRACE_INTERCEPT void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
