#include "runtime/jumps.h"

#include <bit>
#include <csignal>

#include "runtime/atomics.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// As glibc writes it: turned, and mixed with a secret of the process.
uint64_t stack_pointer_in(const __jmp_buf_tag* buffer) {
  constexpr uint32_t kStackPointer = 6;  // of the registers
  constexpr int kTurned = 17;
  uint64_t secret;
  __asm__("mov %%fs:0x30, %0" : "=r"(secret));
  const auto written = static_cast<uint64_t>(buffer->__jmpbuf[kStackPointer]);
  return std::rotr(written, kTurned) ^ secret;
}

void leave_recorder(const __jmp_buf_tag* buffer) {
  if (self.busy == 0 && self.atomics == 0) return;
  const KeepErrno keep;
  const Jump jump(buffer);
  if (self.busy != 0 && jump.leaves(self.busy)) {
    self.call_site = SiteRef();
    Entry::abandon();
  }
  abandon_atomics(jump);
}

}  // namespace

Jump::Jump(const __jmp_buf_tag* buffer) : target_(stack_pointer_in(buffer)) {
  stack_t other;
  if (::sigaltstack(nullptr, &other) != 0 || (other.ss_flags & SS_DISABLE) != 0) return;
  other_stack_ = reinterpret_cast<uint64_t>(other.ss_sp);
  other_stack_end_ = other_stack_ + other.ss_size;
}

bool Jump::leaves(uint64_t place) const {
  const bool was_on_other = is_on_other_stack(place);
  return was_on_other == is_on_other_stack(target_) ? target_ > place : was_on_other;
}

}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT void longjmp(jmp_buf buffer, int value) noexcept {
  leave_recorder(buffer);
  real().longjmp(buffer, value);
  __builtin_unreachable();
}
FORETRACE_INTERCEPT void _longjmp(jmp_buf buffer, int value) noexcept {
  leave_recorder(buffer);
  real()._longjmp(buffer, value);
  __builtin_unreachable();
}
FORETRACE_INTERCEPT void siglongjmp(sigjmp_buf buffer, int value) noexcept {
  leave_recorder(buffer);
  real().siglongjmp(buffer, value);
  __builtin_unreachable();
}
// The same with a check that the compiler adds (_FORTIFY_SOURCE).
FORETRACE_INTERCEPT void __longjmp_chk(__jmp_buf_tag* buffer, int value) noexcept {
  leave_recorder(buffer);
  real().__longjmp_chk(buffer, value);
  __builtin_unreachable();
}
