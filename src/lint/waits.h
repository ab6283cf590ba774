// Blocks in which a thread waits for others: for a condition variable, itself or by a call.
#pragma once

#include <map>

#include "lint/blocks.h"

namespace foretrace::lint {

class Waits {
 public:
  Waits(const Program& program, const Blocks& blocks) : program_(program), blocks_(blocks) {}
  // Whether the block begins or ends with a wait, or contains one.
  bool in(const BlockRef& block);

 private:
  bool waits(const Place& place, int depth);
  bool has_wait(ContextId context, int depth);

  const Program& program_;
  const Blocks& blocks_;
  std::map<const LockRegion*, bool> known_;
};

}  // namespace foretrace::lint
