// Which places of the program fit a rule (docs/formats/sections.md). The same in
// the program and in the one that steers it.
#pragma once

#include <cstdint>
#include <cstring>

namespace foretrace::steering {

// One name is the other, or ends with '/' and the other.
inline bool same_file(const char* a, const char* b) {
  while (a[0] == '.' && a[1] == '/') a += 2;
  while (b[0] == '.' && b[1] == '/') b += 2;
  const size_t a_length = std::strlen(a);
  const size_t b_length = std::strlen(b);
  const char* const longer = a_length >= b_length ? a : b;
  const char* const shorter = a_length >= b_length ? b : a;
  const size_t rest = std::strlen(longer) - std::strlen(shorter);
  return std::strcmp(longer + rest, shorter) == 0 && (rest == 0 || longer[rest - 1] == '/');
}

// The part of a variable's name that is compared: after the last "::" or '.',
// without a leading '*' and without what is in brackets.
struct BareName {
  const char* text;
  size_t length;
};
inline BareName bare_name(const char* name) {
  while (*name == '*' || *name == '&' || *name == '(') ++name;
  const size_t length = std::strcspn(name, "[");
  const char* start = name;
  for (size_t i = 0; i < length; ++i) {
    if (name[i] == '.' || name[i] == ':' || (name[i] == '>' && i > 0 && name[i - 1] == '-')) {
      start = name + i + 1;
    }
  }
  return {start, static_cast<size_t>(name + length - start)};
}

inline bool is_known(const char* variable) {
  return variable != nullptr && variable[0] != '\0' && std::strcmp(variable, "-") != 0;
}

inline bool same_variable(const char* a, const char* b) {
  const BareName one = bare_name(a);
  const BareName other = bare_name(b);
  return one.length == other.length && std::memcmp(one.text, other.text, one.length) == 0;
}

}  // namespace foretrace::steering
