// The entries in which a program's runtime writes down names (runtime/layout.h).
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "runtime/layout.h"

namespace foretrace {

inline constexpr auto kNameStrings = 5;  // of an entry, each with a zero byte at its end

// Calls `visit(entry, text)` for each, where `text` is the first of its strings. One that cannot be
// ends them: it is not whole, or has a larger number than there is space for names.
template <typename Visit>
void for_each_name(std::string_view entries, Visit visit) {
  using recording::NameEntry;
  while (entries.size() >= sizeof(NameEntry)) {
    NameEntry entry;
    std::memcpy(&entry, entries.data(), sizeof entry);
    if (entry.bytes < sizeof entry || entry.bytes > entries.size() ||
        entry.number > recording::kNamesBytes / sizeof entry) {
      return;
    }
    const std::string_view text = entries.substr(sizeof entry, entry.bytes - sizeof entry);
    if (std::count(text.begin(), text.end(), '\0') < kNameStrings) return;
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): its strings have ends.
    visit(entry, text.data());
    entries.remove_prefix(entry.bytes);
  }
}

}  // namespace foretrace
