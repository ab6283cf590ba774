// How much of a text libc looks at to find a number in it.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

// Surely so many bytes: up to the first that is no digit, that one included. There need not be an
// end of the text behind it. (Letters, points and exponents may be part of it or not.)
inline uint64_t number_bytes(const char* text, uint64_t base) {
  constexpr uint64_t kMostBase = 36;
  if (base == 1 || base > kMostBase) return 0;
  const char* at = text;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r')) ++at;
  if (*at == '+' || *at == '-') ++at;
  if (base == 0) base = *at == '0' ? 8 : 10;
  const char end = static_cast<char>('0' + (base < 10 ? base : 10));
  while (*at >= '0' && *at < end) ++at;
  return static_cast<uint64_t>(at - text) + 1;
}

}  // namespace foretrace::runtime
