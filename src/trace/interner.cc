#include "trace/interner.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {

uint32_t Interner::add_numbered(std::vector<uint32_t>& ids, uint32_t number,
                                std::string_view name) {
  if (number >= ids.size()) ids.resize(std::max<size_t>(number + 1, ids.size() * 2));
  const uint32_t id = table_.append(name);
  ids[number] = id + 1;
  return id;
}

uint32_t Interner::intern_by_hash(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  const uint32_t id = table_.append(name);
  by_name_.emplace(table_[id], id);
  return id;
}

size_t SiteHash::operator()(const Site& site) const {
  uint64_t hash = (uint64_t{site.file} << 32) | site.line;
  hash ^= ((uint64_t{site.column} << 32) | site.function) * 0x9E3779B97F4A7C15ULL;
  hash *= 0xFF51AFD7ED558CCDULL;
  return hash ^ (hash >> 33);
}

TextSymbols::TextSymbols(Symbols& symbols)
    : symbols_(symbols), files_(symbols.files), site_texts_(site_text_names_) {
  for (size_t space = 0; space < kSpaceCount; ++space) {
    spaces_.emplace_back(symbols.names(static_cast<Space>(space)));
  }
}

SiteId TextSymbols::add_site(std::string_view text) {
  const auto as_number = [](std::string_view word) -> uint32_t {
    const std::optional<int64_t> number = parse_integer(word);
    return number && *number > 0 && *number <= UINT32_MAX ? static_cast<uint32_t>(*number) : 0;
  };
  Site site;
  std::string_view file = text;
  if (const uint32_t bare = as_number(text); bare != 0) {
    site.line = bare;
    file = {};
  }
  // The last one or two colon-separated numbers are the line and the column.
  if (const size_t colon = file.rfind(':'); colon != std::string_view::npos) {
    if (const uint32_t last = as_number(file.substr(colon + 1)); last != 0) {
      site.line = last;
      file = file.substr(0, colon);
      const size_t before = file.rfind(':');
      if (before != std::string_view::npos) {
        if (const uint32_t line = as_number(file.substr(before + 1)); line != 0) {
          site.column = site.line;
          site.line = line;
          file = file.substr(0, before);
        }
      }
    }
  }
  if (!file.empty()) site.file = files_.intern(file) + 1;

  const auto [entry, fresh] = site_ids_.try_emplace(site, symbols_.sites.size());
  if (fresh) symbols_.sites.push_back(site);
  site_of_text_.push_back(entry->second);
  return entry->second;
}

}  // namespace foretrace
