// Lists as sets.
#pragma once

#include <algorithm>
#include <vector>

namespace foretrace {

// Sorts the list, and keeps one of each.
template <typename T>
void sort_once(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace foretrace
