// Names of a trace as identifiers of a program.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace foretrace::programs {

// Gives every name an identifier of its own that is one in every language that
// programs are written in.
class Identifiers {
 public:
  // `wanted` itself where that is possible; `prefix` comes first where `wanted`
  // starts with a digit or has no letter.
  std::string add(std::string_view wanted, std::string_view prefix);

 private:
  std::set<std::string> taken_;
  std::map<std::string, uint32_t> copies_;  // the number of the last one
};

// An identifier that is near `text`; it may be a reserved word.
std::string identifier_of(std::string_view text, std::string_view prefix);

}  // namespace foretrace::programs
