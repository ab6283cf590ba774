// Names that are equal have equal numbers: USRs, fields, types, files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace foretrace::lint {

// One table for the whole process, so that names of different translation units
// compare at once. Not thread-safe: summaries are read and linked by one thread.
class Name {
 public:
  Name() = default;  // the empty name
  explicit Name(std::string_view text);

  const std::string& text() const;  // stays where it is
  bool empty() const { return number_ == 0; }
  uint32_t number() const { return number_; }

  friend bool operator==(Name, Name) = default;
  // By number: the order of first appearance, not of the alphabet.
  friend auto operator<=>(Name, Name) = default;

 private:
  uint32_t number_ = 0;
};

}  // namespace foretrace::lint

template <>
struct std::hash<foretrace::lint::Name> {
  size_t operator()(foretrace::lint::Name name) const { return name.number() * 0x9E3779B97F4A7C15; }
};
