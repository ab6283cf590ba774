// Sets of small numbers, of one size: one bit each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace foretrace::lint {

class Bits {
 public:
  Bits() = default;
  explicit Bits(size_t size) : words_((size + 63) / 64) {}

  void set(size_t number) { words_[number / 64] |= uint64_t{1} << (number % 64); }
  void reset(size_t number) { words_[number / 64] &= ~(uint64_t{1} << (number % 64)); }
  bool has(size_t number) const { return (words_[number / 64] >> (number % 64) & 1) != 0; }
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](uint64_t word) { return word != 0; });
  }
  // Whether one is in both.
  bool meets(const Bits& other) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  // The smallest one; there must be one.
  size_t first() const {
    size_t word = 0;
    while (words_[word] == 0) ++word;
    return word * 64 + static_cast<size_t>(std::countr_zero(words_[word]));
  }

  Bits& operator|=(const Bits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  Bits& operator&=(const Bits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  Bits& operator-=(const Bits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend auto operator<=>(const Bits&, const Bits&) = default;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace foretrace::lint
