// When the threads of a synthetic trace are forked and joined.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace foretrace {

// Which threads fork and join which.
enum class ForkShape {
  flat,   // the first thread forks all others, and joins them at the end
  tree,   // each thread forks two others, and joins them
  waves,  // the first thread forks some, joins them, forks some more, ...
  none,   // all threads exist from the start
};

std::optional<ForkShape> fork_shape_named(std::string_view name);

// `part` of `whole` equal parts of `total`, without overflow for parts below 2^32.
constexpr uint64_t portion(uint64_t total, uint64_t part, uint64_t whole) {
  return total / whole * part + total % whole * part / whole;
}

// Threads are forked in the order of their numbers, and within a wave joined in
// the reverse order, so that those alive are always thread 0 and a range.
class ThreadSchedule {
 public:
  // Times are counted in free events, from 0 to `duration`.
  ThreadSchedule(ForkShape shape, uint32_t threads, uint64_t duration);

  // How many forks and joins there are in all.
  static uint64_t changes(ForkShape shape, uint64_t threads) {
    return shape == ForkShape::none ? 0 : 2 * (threads - 1);
  }

  uint32_t alive() const { return 1 + forked_; }
  uint32_t alive_thread(uint32_t index) const { return index == 0 ? 0 : first_ + index - 1; }

  // When the next fork or join is due; nothing when there are no more.
  std::optional<uint64_t> next_time() const;
  struct Change {
    bool fork;  // or a join
    uint32_t parent;
    uint32_t child;
  };
  // Makes that fork or join.
  Change advance();

 private:
  uint32_t first_of(uint32_t wave) const {
    return 1 + static_cast<uint32_t>(portion(threads_ - 1, wave, waves_));
  }
  uint64_t start_of(uint32_t wave) const { return portion(duration_, wave, waves_); }

  const ForkShape shape_;
  const uint32_t threads_;
  const uint64_t duration_;
  uint32_t waves_ = 1;
  uint32_t wave_ = 0;    // the present one
  uint32_t first_ = 1;   // its first thread
  uint32_t forked_ = 0;  // of its threads, and not joined
  bool growing_ = true;  // it has not forked all its threads yet
};

}  // namespace foretrace
