// Lists of which there are very many, most of them short.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace foretrace {

// Lists, one for each object, in one piece of memory.
template <typename Entry>
class Lists {
 public:
  Lists() = default;
  // `for_each(f)` calls f(object, entry), the entries of an object in their order.
  template <typename ForEach>
  Lists(size_t objects, const ForEach& for_each) : begins_(objects + 1) {
    for_each([&](size_t object, const Entry&) { ++begins_[object + 1]; });
    for (size_t i = 0; i < objects; ++i) begins_[i + 1] += begins_[i];
    entries_.resize(begins_.back());
    std::vector<size_t> next = begins_;
    for_each([&](size_t object, const Entry& entry) { entries_[next[object]++] = entry; });
  }
  std::span<const Entry> operator[](size_t object) const {
    return std::span(entries_).subspan(begins_[object], begins_[object + 1] - begins_[object]);
  }

 private:
  std::vector<size_t> begins_ = {0};  // and the end
  std::vector<Entry> entries_;
};

}  // namespace foretrace
