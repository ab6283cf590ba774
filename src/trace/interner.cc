#include "trace/interner.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {

uint32_t Interner::add_numbered(Numbered& numbered, uint32_t number, std::string_view name) {
  constexpr uint64_t kSmall = 4096;
  constexpr uint64_t kSparse = 16;
  const uint32_t names_before = table_.size();
  if (number >= kSmall + kSparse * numbered.count) {
    const uint32_t id = intern_by_hash(name);
    numbered.count += table_.size() - names_before;
    return id;
  }
  if (number >= numbered.ids.size()) {
    numbered.ids.resize(std::max<size_t>(number + 1, numbered.ids.size() * 2));
  }
  const auto found = by_name_.find(name);
  const uint32_t id = found != by_name_.end() ? found->second : table_.append(name);
  numbered.ids[number] = id + 1;
  numbered.count += table_.size() - names_before;
  return id;
}

uint32_t Interner::intern_by_hash(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  const uint32_t id = table_.append(name);
  by_name_.emplace(table_[id], id);
  return id;
}

SiteText parse_site(std::string_view text) {
  const auto as_number = [](std::string_view word) -> uint32_t {
    const std::optional<int64_t> number = parse_integer(word);
    return number && *number > 0 && *number <= UINT32_MAX ? static_cast<uint32_t>(*number) : 0;
  };
  if (const uint32_t bare = as_number(text); bare != 0) return {{}, bare, 0};
  // The last one or two colon-separated numbers are the line and the column.
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, 0, 0};
  const uint32_t last = as_number(text.substr(colon + 1));
  if (last == 0) return {text, 0, 0};
  const std::string_view front = text.substr(0, colon);
  const size_t before = front.rfind(':');
  if (before != std::string_view::npos) {
    const uint32_t line = as_number(front.substr(before + 1));
    if (line != 0) return {front.substr(0, before), line, last};
  }
  return {front, last, 0};
}

size_t SiteHash::operator()(const Site& site) const {
  uint64_t hash = (uint64_t{site.file} << 32) | site.line;
  hash ^= ((uint64_t{site.column} << 32) | site.function) * 0x9E3779B97F4A7C15ULL;
  hash *= 0xFF51AFD7ED558CCDULL;
  return hash ^ (hash >> 33);
}

TextSymbols::TextSymbols(Symbols& symbols)
    : symbols_(symbols), files_(symbols.files), site_texts_(site_text_names_) {
  spaces_.reserve(kSpaceCount);
  for (size_t space = 0; space < kSpaceCount; ++space) {
    spaces_.emplace_back(symbols.names(static_cast<Space>(space)));
  }
}

SiteId TextSymbols::intern_numbered_site(std::string_view text, const NumberedSite& parts) {
  const SiteId site = intern_site_text(text);
  SiteGroup& group = group_of(parts.front);
  if (group.front != parts.front) {
    group.front = parts.front;
    group.sites.clear();
  }
  if (parts.number >= group.sites.size()) {
    group.sites.resize(std::max<size_t>(parts.number + 1, group.sites.size() * 2), kNoSite);
  }
  group.sites[parts.number] = site;
  return site;
}

SiteId TextSymbols::intern_site_text(std::string_view text) {
  const uint32_t id = site_texts_.intern(text);
  if (id < site_of_text_.size()) return site_of_text_[id];
  const SiteText parsed = parse_site(text);
  Site site;
  if (!parsed.file.empty()) site.file = files_.intern(parsed.file) + 1;
  site.line = parsed.line;
  site.column = parsed.column;
  const auto [entry, fresh] = site_ids_.try_emplace(site, symbols_.sites.size());
  if (fresh) symbols_.sites.push_back(site);
  site_of_text_.push_back(entry->second);
  return entry->second;
}

}  // namespace foretrace
