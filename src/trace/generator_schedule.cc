#include "trace/generator_schedule.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace foretrace {
namespace {

// Forks are spread over the first part of a wave of this size, joins over the
// last one.
constexpr uint64_t kEdge = 20;

}  // namespace

std::optional<ForkShape> fork_shape_named(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"flat", "tree", "waves", "none"};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ForkShape>(i);
  }
  return std::nullopt;
}

ThreadSchedule::ThreadSchedule(ForkShape shape, uint32_t threads, uint64_t duration)
    : shape_(shape), threads_(threads), duration_(duration) {
  if (shape == ForkShape::none) forked_ = threads - 1;
  if (shape == ForkShape::waves && threads > 1) {
    waves_ = static_cast<uint32_t>(std::ceil(std::sqrt(threads - 1)));
  }
}

std::optional<uint64_t> ThreadSchedule::next_time() const {
  if (shape_ == ForkShape::none || threads_ == 1 || wave_ == waves_) return std::nullopt;
  const uint64_t start = start_of(wave_);
  const uint64_t end = start_of(wave_ + 1);
  const uint32_t width = first_of(wave_ + 1) - first_;
  const uint64_t edge = (end - start) / kEdge;
  return growing_ ? start + portion(edge, forked_, width) : end - portion(edge, forked_ - 1, width);
}

ThreadSchedule::Change ThreadSchedule::advance() {
  Change change = {growing_, 0, 0};
  if (growing_) {
    change.child = first_ + forked_;
    ++forked_;
    growing_ = change.child + 1 < first_of(wave_ + 1);
  } else {
    --forked_;
    change.child = first_ + forked_;
    if (forked_ == 0) {
      growing_ = true;
      ++wave_;
      first_ = first_of(wave_);
    }
  }
  change.parent = shape_ == ForkShape::tree ? (change.child - 1) / 2 : 0;
  return change;
}

}  // namespace foretrace
