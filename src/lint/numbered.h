// Things of which equal ones have one number, and are kept once.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace foretrace::lint {

template <typename T>
class Numbered {
 public:
  using Number = uint32_t;

  Number number_of(T thing) {
    const auto [entry, is_new] =
        numbers_.try_emplace(std::move(thing), static_cast<Number>(things_.size()));
    if (is_new) things_.push_back(&entry->first);
    return entry->second;
  }
  const T& at(Number number) const { return *things_[number]; }

 private:
  std::map<T, Number> numbers_;
  std::vector<const T*> things_;
};

}  // namespace foretrace::lint
