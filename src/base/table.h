// Tables by identifier.
#pragma once

#include <algorithm>
#include <cstddef>
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

}  // namespace foretrace
