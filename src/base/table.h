// Tables by identifier.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace foretrace {

template <typename T>
[[gnu::noinline]] void make_slot(std::vector<T>& table, size_t index) {
  table.resize(std::max(index + 1, table.size() * 2));
}

// The element with that index. The table grows if it has to, geometrically:
// identifiers arrive one by one.
template <typename T>
[[gnu::always_inline]] inline typename std::vector<T>::reference slot(std::vector<T>& table,
                                                                      size_t index) {
  if (index >= table.size()) [[unlikely]]
    make_slot(table, index);
  return table[index];
}

// A table of many elements, which never move: to grow takes no copy, and no more memory than
// is used. New ones are as T() makes them.
template <typename T>
class LargeTable {
 public:
  size_t size() const { return chunks_.size() * kChunk; }
  T& operator[](size_t index) { return chunks_[index / kChunk][index % kChunk]; }
  const T& operator[](size_t index) const { return chunks_[index / kChunk][index % kChunk]; }
  [[gnu::noinline]] void make(size_t index) {
    while (index >= size()) chunks_.push_back(std::make_unique<T[]>(kChunk));
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const std::unique_ptr<T[]>& chunk : chunks_) {
      for (size_t i = 0; i < kChunk; ++i) visit(chunk[i]);
    }
  }

 private:
  static constexpr size_t kChunk = 1024;
  std::vector<std::unique_ptr<T[]>> chunks_;
};

template <typename T>
[[gnu::always_inline]] inline T& slot(LargeTable<T>& table, size_t index) {
  if (index >= table.size()) [[unlikely]]
    table.make(index);
  return table[index];
}

}  // namespace foretrace
