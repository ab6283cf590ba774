// Names to numbers, for readers of text.
#pragma once

#include <tsl/robin_map.h>

#include <string_view>
#include <vector>

#include "trace/symbols.h"

namespace foretrace {

// Gives each distinct name of one namespace its number, appending new names to
// the table. Names of the form letters-and-digits with a plain decimal number
// at the end (V123, T7, 42) are found through an array instead of a hash.
class Interner {
 public:
  explicit Interner(NameTable& table) : table_(table) {}

  uint32_t intern(std::string_view name) {
    // The common case of recorded traces: one letter or none, then a number.
    const size_t letters = !name.empty() && (name[0] < '0' || name[0] > '9') ? 1 : 0;
    const size_t digits = name.size() - letters;
    if (digits - 1 < kMaxDigits && name[letters] != '0') {
      uint32_t number = 0;
      for (size_t i = letters; i < name.size(); ++i) {
        const auto digit = static_cast<uint32_t>(static_cast<unsigned char>(name[i])) - '0';
        if (digit > 9) return intern_by_hash(name);
        number = number * 10 + digit;
      }
      return intern_numbered(letters == 0 ? 0 : static_cast<unsigned char>(name[0]), number, name);
    }
    return intern_by_hash(name);
  }

 private:
  static constexpr size_t kMaxDigits = 6;  // at most 4 MB per letter in use

  uint32_t intern_numbered(unsigned char letter, uint32_t number, std::string_view name) {
    std::vector<uint32_t>& ids = numbered_[letter];
    if (number < ids.size() && ids[number] != 0) return ids[number] - 1;
    return add_numbered(ids, number, name);
  }
  uint32_t add_numbered(std::vector<uint32_t>& ids, uint32_t number, std::string_view name);
  uint32_t intern_by_hash(std::string_view name);

  NameTable& table_;
  // numbered_[letter][number] is the id plus one, or 0. Letter 0: no letter.
  std::array<std::vector<uint32_t>, 256> numbered_;
  tsl::robin_map<std::string_view, uint32_t> by_name_;  // views into the table
};

struct SiteHash {
  size_t operator()(const Site& site) const;
};

// The interners of a whole trace that is read from text.
class TextSymbols {
 public:
  explicit TextSymbols(Symbols& symbols);

  uint32_t intern(Space space, std::string_view name) {
    return spaces_[static_cast<size_t>(space)].intern(name);
  }

  // `text` is "file:line", "file:line:column", a bare line number, or any other
  // word, which is taken as a file. "" is the unknown site.
  SiteId intern_site(std::string_view text) {
    if (text.empty()) return kNoSite;
    const uint32_t id = site_texts_.intern(text);
    return id < site_of_text_.size() ? site_of_text_[id] : add_site(text);
  }

 private:
  SiteId add_site(std::string_view text);

  Symbols& symbols_;
  std::vector<Interner> spaces_;  // by Space
  Interner files_;
  NameTable site_text_names_;
  Interner site_texts_;
  std::vector<SiteId> site_of_text_;
  tsl::robin_map<Site, SiteId, SiteHash> site_ids_;
};

}  // namespace foretrace
