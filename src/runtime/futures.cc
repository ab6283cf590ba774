// Futures that become ready when a thread ends (std::promise::set_value_at_thread_exit,
// std::packaged_task::make_ready_at_thread_exit): libstdc++ itself does that, and has no hooks.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/atomics.h"
#include "runtime/next_function.h"
#include "runtime/real.h"

using namespace foretrace::runtime;

namespace {

// std::__future_base::_State_baseV2::_Make_ready, which is part of libstdc++'s ABI.
struct MakeReady {
  MakeReady* next;
  void (*run)(MakeReady*);
  char* state;  // a weak pointer
  void* count;
};
// In the state, behind its table and its result: what future::get() looks at.
constexpr size_t kStatus = 16;

std::atomic<void (*)(MakeReady*)> make_ready{nullptr};

// The record comes first: whoever finds the future ready is recorded after it. Then libstdc++
// has a reference to the state, and if that is the last one, destroys the result: after the
// others gave up theirs, of which nothing would be known. So that is not recorded.
void record_and_make_ready(MakeReady* what) {
  const auto status = reinterpret_cast<uint64_t>(what->state + kStatus);
  end_atomic(begin_atomic(status), status, sizeof(uint32_t), Kind::atomic_update, nullptr);
  ++self.hidden;
  make_ready.load(std::memory_order_relaxed)(what);
  --self.hidden;
}

}  // namespace

// _Make_ready::_M_set()
FORETRACE_INTERCEPT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(
    MakeReady* what) {
  FORETRACE_BEHIND(set, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv,
                   void(MakeReady*));
  set(what);
  make_ready.store(what->run, std::memory_order_relaxed);
  what->run = record_and_make_ready;
}
