// Names to numbers, for readers of text.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <tsl/robin_map.h>

#include "trace/symbols.h"

namespace foretrace {

// Gives each distinct name of one namespace its number, appending new names to
// the table. Names of the form V123, T7 or 42, a letter or none and a plain
// decimal number, are found through an array instead of a hash: recorded traces
// have hardly any others.
class Interner {
 public:
  explicit Interner(NameTable& table) : table_(table) {}

  uint32_t intern(std::string_view name) {
    const size_t letters = !name.empty() && is_letter(name[0]) ? 1 : 0;
    const size_t digits = name.size() - letters;
    if (digits - 1 >= kMaxDigits || (name[letters] == '0' && digits > 1)) {
      return intern_by_hash(name);
    }
    uint32_t number = 0;
    for (size_t i = letters; i < name.size(); ++i) {
      const auto digit = static_cast<uint32_t>(static_cast<unsigned char>(name[i])) - '0';
      if (digit > 9) return intern_by_hash(name);
      number = number * 10 + digit;
    }
    const unsigned char letter = letters == 0 ? kNoLetter : static_cast<unsigned char>(name[0]);
    const uint32_t known = find(letter, number);
    return known != 0 ? known - 1 : add_numbered(numbered_[letter], number, name);
  }

  // For readers that parse the number of a name anyway: the id, plus one, of
  // the name that is `letter` (or kNoLetter) and `number`; 0 if intern() must
  // be asked.
  uint32_t find(unsigned char letter, uint32_t number) const {
    const std::vector<uint32_t>& ids = numbered_[letter].ids;
    return number < ids.size() ? ids[number] : 0;
  }
  // The same for a name that does not have this form.
  uint32_t find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found != by_name_.end() ? found->second + 1 : 0;
  }
  static bool is_letter(char c) { return static_cast<unsigned char>(c) > '9'; }
  static constexpr unsigned char kNoLetter = 0;
  static constexpr size_t kMaxDigits = 9;  // fits 32 bits

 private:
  // The names that share a letter. Only numbers up to a multiple of `count` are
  // in the array, so that a few large numbers cannot make it large; the others
  // are in by_name_ until the array has grown to them.
  struct Numbered {
    std::vector<uint32_t> ids;  // ids[number] is the id plus one, or 0
    uint32_t count = 0;
  };
  uint32_t add_numbered(Numbered& numbered, uint32_t number, std::string_view name);
  uint32_t intern_by_hash(std::string_view name);

  NameTable& table_;
  std::array<Numbered, 256> numbered_;                  // by letter
  tsl::robin_map<std::string_view, uint32_t> by_name_;  // views into the table
};

// What the text of a site says: "file:line", "file:line:column", a bare line
// number, or any other word, which is taken as a file.
struct SiteText {
  std::string_view file;
  uint32_t line = 0;
  uint32_t column = 0;
};
SiteText parse_site(std::string_view text);

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

  Interner& space(Space space) { return spaces_[static_cast<size_t>(space)]; }

  // See parse_site(); "" is the unknown site.
  SiteId intern_site(std::string_view text) {
    if (text.empty()) return kNoSite;
    const NumberedSite parts = split_number(text);
    if (parts.number == 0) return intern_site_text(text);
    const SiteId known = cached(parts);
    return known != kNoSite ? known : intern_numbered_site(text, parts);
  }

  // The site with only the line `line`, if it is known; else kNoSite.
  SiteId find_line(uint32_t line) const {
    const uint32_t id = site_texts_.find(Interner::kNoLetter, line);
    return id != 0 ? site_of_text_[id - 1] : kNoSite;
  }

 private:
  // "a.c:" and 12 of "a.c:12"; number 0 for a text that the cache is not for.
  struct NumberedSite {
    std::string_view front;
    uint32_t number = 0;
  };
  // The sites whose texts differ only in the number at the end: those of a file.
  struct SiteGroup {
    std::string front;
    std::vector<SiteId> sites;  // by number; kNoSite: ask intern_site_text()
  };
  static constexpr uint32_t kMaxCachedNumber = 1U << 15;
  static constexpr size_t kSiteGroups = 64;

  static NumberedSite split_number(std::string_view text) {
    uint32_t number = 0;
    size_t place = text.size();
    for (uint32_t scale = 1; place > 0 && scale <= kMaxCachedNumber; scale *= 10, --place) {
      const auto digit = static_cast<uint32_t>(static_cast<unsigned char>(text[place - 1])) - '0';
      if (digit > 9) break;
      number += digit * scale;
    }
    if (place == 0 || text[place - 1] != ':' || number >= kMaxCachedNumber) return {};
    return {text.substr(0, place), number};
  }
  SiteGroup& group_of(std::string_view front) {
    const size_t middle = static_cast<unsigned char>(front[front.size() / 2]);
    return groups_[(front.size() * 7 + middle) % kSiteGroups];
  }
  SiteId cached(const NumberedSite& parts) {
    const SiteGroup& group = group_of(parts.front);
    return parts.number < group.sites.size() && group.front == parts.front
               ? group.sites[parts.number]
               : kNoSite;
  }
  SiteId intern_numbered_site(std::string_view text, const NumberedSite& parts);
  SiteId intern_site_text(std::string_view text);

  Symbols& symbols_;
  std::vector<Interner> spaces_;  // by Space
  Interner files_;
  NameTable site_text_names_;
  Interner site_texts_;
  std::vector<SiteId> site_of_text_;
  std::array<SiteGroup, kSiteGroups> groups_;
  tsl::robin_map<Site, SiteId, SiteHash> site_ids_;
};

}  // namespace foretrace
