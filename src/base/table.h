// Tables by identifier.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace foretrace {

// The element with that index. The table grows if it has to, geometrically:
// identifiers arrive one by one.
template <typename T>
typename std::vector<T>::reference slot(std::vector<T>& table, size_t index) {
  if (index >= table.size()) table.resize(std::max(index + 1, table.size() * 2));
  return table[index];
}

}  // namespace foretrace
