// Small sets of small numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace foretrace::serializability {

// A set of slots. Up to 64 of them are one word.
class SlotSet {
 public:
  bool has(uint32_t slot) const {
    if (slot < 64) return (first_ >> slot & 1) != 0;
    const size_t word = slot / 64 - 1;
    return word < rest_.size() && (rest_[word] >> slot % 64 & 1) != 0;
  }
  void add(uint32_t slot) {
    if (slot < 64) {
      first_ |= uint64_t{1} << slot;
      return;
    }
    const size_t word = slot / 64 - 1;
    if (word >= rest_.size()) rest_.resize(word + 1);
    rest_[word] |= uint64_t{1} << slot % 64;
  }
  void remove(uint32_t slot) {
    if (slot < 64) {
      first_ &= ~(uint64_t{1} << slot);
    } else if (const size_t word = slot / 64 - 1; word < rest_.size()) {
      rest_[word] &= ~(uint64_t{1} << slot % 64);
    }
  }
  bool empty() const {
    return first_ == 0 &&
           std::all_of(rest_.begin(), rest_.end(), [](uint64_t word) { return word == 0; });
  }
  void clear() {
    first_ = 0;
    rest_.clear();
  }

  // Calls visit(slot) for the slots that are here and not in `other`.
  template <typename Visit>
  void for_each_not_in(const SlotSet& other, Visit visit) const {
    visit_word(first_ & ~other.first_, 0, visit);
    for (size_t word = 0; word < rest_.size(); ++word) {
      const uint64_t theirs = word < other.rest_.size() ? other.rest_[word] : 0;
      visit_word(rest_[word] & ~theirs, static_cast<uint32_t>(64 * (word + 1)), visit);
    }
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    for_each_not_in(SlotSet(), visit);
  }

 private:
  template <typename Visit>
  static void visit_word(uint64_t bits, uint32_t base, Visit& visit) {
    for (; bits != 0; bits &= bits - 1) visit(base + static_cast<uint32_t>(std::countr_zero(bits)));
  }

  uint64_t first_ = 0;
  std::vector<uint64_t> rest_;
};

}  // namespace foretrace::serializability
