// Hashing for maps with integer keys.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foretrace {

// Spreads every bit of the key over the hash. The standard hash of an integer is
// the integer, which a map that takes the low bits for the bucket cannot use.
constexpr uint64_t mixed(uint64_t key) {
  key ^= key >> 33;
  key *= 0xFF51AFD7ED558CCDULL;
  key ^= key >> 33;
  key *= 0xC4CEB9FE1A85EC53ULL;
  return key ^ (key >> 33);
}

struct IntegerHash {
  size_t operator()(uint64_t key) const { return mixed(key); }
};

// Of a fixed count of numbers.
struct NumbersHash {
  template <typename Numbers>
  size_t operator()(const Numbers& numbers) const {
    uint64_t hash = 0;
    for (const uint64_t number : numbers) hash = mixed(hash ^ number);
    return hash;
  }
};

}  // namespace foretrace
