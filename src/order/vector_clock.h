// Vector clocks and epochs (paper 000, chapter 8).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "trace/event.h"

namespace foretrace {

// A clock value of one thread; FastTrack's c@t. Clocks start at 1, so the zero
// epoch is before everything.
class Epoch {
 public:
  Epoch() = default;
  Epoch(ThreadId thread, uint64_t clock) : bits_(clock << 24 | thread) {}
  ThreadId thread() const { return static_cast<ThreadId>(bits_ & kMaxThreads); }
  uint64_t clock() const { return bits_ >> 24; }
  bool is_zero() const { return bits_ == 0; }
  bool operator==(const Epoch&) const = default;

 private:
  uint64_t bits_ = 0;
};

// A map from threads to clocks, zero by default. A value type, but copies share
// their content until one of them changes: a copy costs O(1), and joining two
// clocks costs what differs between them. So 70,000 threads that all pass
// through one lock need memory for 70,000 small changes, not for 70,000² clocks.
//
// Inside it is a tree of fixed fan-out over thread numbers; up to 16 threads are
// one node. Not thread-safe, not even for copies that share content.
class VectorClock {
 public:
  VectorClock() = default;
  VectorClock(const VectorClock& other) : root_(other.root_), height_(other.height_) {
    if (root_ != nullptr) ++root_->references;
  }
  VectorClock(VectorClock&& other) noexcept
      : root_(std::exchange(other.root_, nullptr)), height_(std::exchange(other.height_, 0)) {}
  VectorClock& operator=(VectorClock other) noexcept {
    std::swap(root_, other.root_);
    std::swap(height_, other.height_);
    return *this;
  }
  ~VectorClock() {
    if (root_ != nullptr && --root_->references == 0) free_node(root_, height_);
  }

  uint64_t get(ThreadId thread) const {
    const Node* node = root_;
    uint32_t shift = kBits * height_;
    if (thread >> shift != 0) return 0;  // also when the clock is empty
    while (shift > kBits) {
      shift -= kBits;
      node = node->children[(thread >> shift) & kMask];
      if (node == nullptr) return 0;
    }
    return node == nullptr ? 0 : node->clocks[thread & kMask];
  }

  // The pointwise order: this is at most `other`.
  bool operator<=(const VectorClock& other) const;

  // Calls visit(thread, clock, other_clock) for every thread whose clock is larger
  // here than in `other`. What the two share costs nothing.
  template <typename Visit>
  void for_each_above(const VectorClock& other, Visit visit) const {
    const Node* less = other.root_;
    uint32_t less_height = other.height_;
    for (; less_height > height_ && less != nullptr; --less_height) less = less->children[0];
    if (height_ > 0) visit_above(root_, height_, less, less_height, 0, visit);
  }

  // Makes the thread's clock at least `clock`.
  void raise(ThreadId thread, uint64_t clock) {
    if (get(thread) < clock) set(thread, clock);
  }
  // Makes every clock at least that of `other`.
  void join(const VectorClock& other);

 private:
  static constexpr uint32_t kBits = 4;
  static constexpr uint32_t kFan = 1U << kBits;
  static constexpr uint32_t kMask = kFan - 1;

  struct Node {
    union {
      uint64_t clocks[kFan];  // in a leaf (height 1)
      Node* children[kFan];   // above
    };
    uint32_t references;
    uint32_t used;  // in a leaf: the last clock that is not zero is in front of this
  };

  class FreeNodes;

  static void release(Node* node, uint32_t height) {
    if (node != nullptr && --node->references == 0) free_node(node, height);
  }
  static void free_node(Node* node, uint32_t height);
  void set(ThreadId thread, uint64_t clock);
  static void make_own(Node*& node, uint32_t height);
  static void join_nodes(Node*& mine, const Node* theirs, uint32_t height);
  static bool covers(const Node* more, const Node* less, uint32_t height);
  void grow(uint32_t height);

  // `less` is at most as high as `more`; if it is lower, it is the first of the
  // nodes of its height below where `more` is.
  template <typename Visit>
  static void visit_above(const Node* more, uint32_t height, const Node* less, uint32_t less_height,
                          ThreadId first, Visit& visit) {
    if (more == nullptr || more == less) return;
    if (height == 1) return visit_leaf_above(more, less, first, visit);
    for (uint32_t i = 0; i < kFan; ++i) {
      const Node* below = less;
      if (less != nullptr && less_height == height) below = less->children[i];
      if (less_height < height && i > 0) below = nullptr;
      visit_above(more->children[i], height - 1, below, std::min(less_height, height - 1),
                  first + (i << (kBits * (height - 1))), visit);
    }
  }
  template <typename Visit>
  static void visit_leaf_above(const Node* more, const Node* less, ThreadId first, Visit& visit) {
    const auto clock_in = [](const Node* node, uint32_t i) {
      return node == nullptr ? 0 : node->clocks[i];
    };
    uint32_t above = 0;  // first compare, without branches, for they are hard to predict
    for (uint32_t i = 0; i < more->used; ++i) {
      above |= static_cast<uint32_t>(more->clocks[i] > clock_in(less, i)) << i;
    }
    for (; above != 0; above &= above - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(above));
      visit(first + i, more->clocks[i], clock_in(less, i));
    }
  }

  Node* root_ = nullptr;
  uint32_t height_ = 0;  // 0: empty; 1: the root is a leaf
};

}  // namespace foretrace
