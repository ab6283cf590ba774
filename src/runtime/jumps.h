// longjmp() out of a signal handler, as time limits do it, can leave the recorder at any
// instruction.
#pragma once

#include <csetjmp>
#include <cstdint>

namespace foretrace::runtime {

class Jump {
 public:
  explicit Jump(const __jmp_buf_tag* buffer);

  // Whether it leaves what was at this place on the stack when a handler interrupted it, and not
  // only something in the handler.
  bool leaves(uint64_t place) const;

 private:
  bool is_on_other_stack(uint64_t place) const {
    return place >= other_stack_ && place < other_stack_end_;
  }

  uint64_t target_;           // where on the stack it leads
  uint64_t other_stack_ = 0;  // that handlers run on, if they have one
  uint64_t other_stack_end_ = 0;
};

}  // namespace foretrace::runtime
