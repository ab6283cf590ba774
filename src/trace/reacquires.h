// For writers of formats that do not know `wait`.
#pragma once

#include <optional>
#include <vector>

#include "trace/event.h"

namespace foretrace {

// A wait is written as a release; this tells where its re-acquire belongs: just
// before the next event of the thread, if that is not the re-acquire itself.
class Reacquires {
 public:
  // To be asked once for each event that is not Op::skip, in order: the lock
  // that the event's thread gets back before it.
  std::optional<LockId> before(const Event& event) {
    if (event.thread >= waits_.size()) {
      if (event.op() != Op::wait) return std::nullopt;
      waits_.resize(event.thread + 1);
    }
    const std::optional<LockId> lock = waits_[event.thread];
    waits_[event.thread].reset();
    if (event.op() == Op::wait) waits_[event.thread] = event.object;
    if (lock && event.op() == Op::acq && event.object == *lock) return std::nullopt;
    return lock;
  }

 private:
  std::vector<std::optional<LockId>> waits_;  // by thread
};

}  // namespace foretrace
