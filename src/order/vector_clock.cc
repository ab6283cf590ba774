#include "order/vector_clock.h"

#include <algorithm>

namespace foretrace {

// Nodes come and go with every critical section: each thread keeps those that it has no use for,
// until it ends.
class VectorClock::FreeNodes {
 public:
  static Node* take() {
    Node* node = first_;
    if (node == nullptr) {
      static thread_local const FreeNodes at_end;  // made when there is something to delete
      (void)at_end;
      node = new Node;
    } else {
      first_ = node->children[0];
    }
    node->references = 1;
    return node;
  }
  static void give(Node* node) {
    node->children[0] = first_;
    first_ = node;
  }

  FreeNodes() = default;
  ~FreeNodes() {
    while (first_ != nullptr) delete std::exchange(first_, first_->children[0]);
  }
  FreeNodes(const FreeNodes&) = delete;
  FreeNodes& operator=(const FreeNodes&) = delete;

 private:
  static constinit thread_local Node* first_;
};

constinit thread_local VectorClock::Node* VectorClock::FreeNodes::first_ = nullptr;

void VectorClock::free_node(Node* node, uint32_t height) {
  if (height > 1) {
    for (Node* child : node->children) release(child, height - 1);
  }
  FreeNodes::give(node);
}

// Replaces a shared node by a copy that may be changed.
void VectorClock::make_own(Node*& node, uint32_t height) {
  if (node == nullptr) {
    node = FreeNodes::take();
    if (height > 1) {
      std::fill(std::begin(node->children), std::end(node->children), nullptr);
    } else {
      std::fill(std::begin(node->clocks), std::end(node->clocks), 0);
      node->used = 0;
    }
  } else if (node->references > 1) {
    Node* const copy = FreeNodes::take();
    if (height > 1) {
      std::copy(std::begin(node->children), std::end(node->children), copy->children);
      for (Node* child : copy->children) {
        if (child != nullptr) ++child->references;
      }
    } else {
      std::copy(std::begin(node->clocks), std::end(node->clocks), copy->clocks);
      copy->used = node->used;
    }
    --node->references;
    node = copy;
  }
}

void VectorClock::grow(uint32_t height) {
  if (root_ == nullptr) height_ = std::max(height_, height);
  while (height_ < height) {
    Node* parent = nullptr;
    make_own(parent, height_ + 1);
    parent->children[0] = root_;
    root_ = parent;
    ++height_;
  }
}

void VectorClock::set(ThreadId thread, uint64_t clock) {
  uint32_t height = 1;
  while (thread >> (kBits * height) != 0) ++height;
  grow(height);
  Node** node = &root_;
  for (uint32_t level = height_;; --level) {
    make_own(*node, level);
    if (level == 1) break;
    node = &(*node)->children[(thread >> (kBits * (level - 1))) & kMask];
  }
  (*node)->clocks[thread & kMask] = clock;
  (*node)->used = std::max((*node)->used, (thread & kMask) + 1);
}

void VectorClock::join_nodes(Node*& mine, const Node* theirs, uint32_t height) {
  if (mine == theirs || theirs == nullptr) return;
  const auto share = [&] {
    release(mine, height);
    mine = const_cast<Node*>(theirs);  // shared nodes are never changed
    ++mine->references;
  };
  if (mine == nullptr) return share();
  if (height > 1) {
    if (covers(mine, theirs, height)) return;
    make_own(mine, height);
    for (uint32_t i = 0; i < kFan; ++i) {
      join_nodes(mine->children[i], theirs->children[i], height - 1);
    }
    return;
  }
  bool mine_larger = mine->used > theirs->used;
  bool theirs_larger = false;
  for (uint32_t i = 0; i < theirs->used; ++i) {
    mine_larger |= mine->clocks[i] > theirs->clocks[i];
    theirs_larger |= theirs->clocks[i] > mine->clocks[i];
  }
  if (!theirs_larger) return;
  if (!mine_larger) return share();
  make_own(mine, 1);
  for (uint32_t i = 0; i < theirs->used; ++i) {
    mine->clocks[i] = std::max(mine->clocks[i], theirs->clocks[i]);
  }
  mine->used = std::max(mine->used, theirs->used);
}

void VectorClock::join(const VectorClock& other) {
  if (other.root_ == nullptr || root_ == other.root_) return;
  grow(other.height_);
  if (height_ == other.height_) return join_nodes(root_, other.root_, height_);
  // `other` covers only the threads below the leftmost path of this tree.
  Node** node = &root_;
  for (uint32_t level = height_; level > other.height_; --level) {
    make_own(*node, level);
    node = &(*node)->children[0];
  }
  join_nodes(*node, other.root_, other.height_);
}

bool VectorClock::covers(const Node* more, const Node* less, uint32_t height) {
  if (more == less || less == nullptr) return true;
  if (height == 1) {
    for (uint32_t i = 0; i < less->used; ++i) {
      if (less->clocks[i] > (more == nullptr ? 0 : more->clocks[i])) return false;
    }
    return true;
  }
  for (uint32_t i = 0; i < kFan; ++i) {
    if (!covers(more == nullptr ? nullptr : more->children[i], less->children[i], height - 1)) {
      return false;
    }
  }
  return true;
}

bool VectorClock::operator<=(const VectorClock& other) const {
  const Node* less = root_;
  const Node* more = other.root_;
  uint32_t less_height = height_;
  for (uint32_t level = other.height_; level > less_height && more != nullptr; --level) {
    more = more->children[0];
  }
  for (; less_height > other.height_ && less != nullptr; --less_height) {
    for (uint32_t i = 1; i < kFan; ++i) {
      if (!covers(nullptr, less_height > 1 ? less->children[i] : nullptr, less_height - 1)) {
        return false;
      }
    }
    if (less_height == 1) break;  // `other` is empty; the leaf is compared below
    less = less->children[0];
  }
  return covers(more, less, less_height);
}

}  // namespace foretrace
