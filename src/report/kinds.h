// What the kinds of findings mean: the help that reports carry.
#pragma once

#include <string>
#include <string_view>

namespace foretrace {

struct KindHelp {
  std::string title;    // "Data race"
  std::string meaning;  // one sentence: what it is
  std::string remedy;   // one or two: what to do about it
};

// For a kind that is not known here, words made of its name.
KindHelp help_of_kind(std::string_view kind);

}  // namespace foretrace
