#include "analyses/mb/stretch.h"

#include <utility>

namespace foretrace::mb {

Stretch* StretchPool::make(ThreadId thread, uint64_t first, VectorClock past) {
  if (free_.empty()) {
    const auto first_id = static_cast<StretchId>(chunks_.size() * kChunk);
    chunks_.push_back(std::make_unique<Stretch[]>(kChunk));
    for (StretchId i = kChunk; i-- > 0;) {
      Stretch& fresh = chunks_.back()[i];
      fresh.id = first_id + i;
      free_.push_back(&fresh);
    }
  }
  Stretch* const made = free_.back();
  free_.pop_back();
  // It was last used long ago; so was the one that is made some events later.
  constexpr size_t kAhead = 4;
  if (free_.size() > kAhead) __builtin_prefetch(free_[free_.size() - kAhead], 1);
  made->past = std::move(past);
  made->first = first;
  made->thread = thread;
  made->used = true;
  made->listed = true;
  made->tags = 0;
  ++live_;
  ++fresh_;
  return made;
}

void StretchPool::sweep() {
  free_.clear();
  live_ = 0;
  fresh_ = 0;
  for (const std::unique_ptr<Stretch[]>& chunk : chunks_) {
    for (size_t i = 0; i < kChunk; ++i) {
      Stretch& stretch = chunk[i];
      if (stretch.used && (stretch.listed || stretch.marked)) {
        stretch.marked = false;
        ++live_;
        continue;
      }
      stretch.past = VectorClock();
      stretch.used = false;
      free_.push_back(&stretch);
    }
  }
}

}  // namespace foretrace::mb
