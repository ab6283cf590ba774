#include "recording/place_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace foretrace {

namespace {

constexpr uint64_t kWordBytes = 8;

}  // namespace

std::string NameCounts::unique(std::string name) {
  const uint32_t count = ++counts_[std::hash<std::string>()(name)];
  return count == 1 ? name : fmt::format("{} #{}", name, count);
}

uint32_t PlaceNames::add_what(const RecordedSite& site) {
  if (site.what.empty()) return 0;
  const auto [known, is_new] = of_sites_.try_emplace(&site, 0);
  if (is_new) known.value() = add_what(site.what);
  return known->second;
}

LocationId PlaceNames::add_location(const NamedPlace& place) {
  locations_.push_back(place);
  return symbols_.names(Space::location).append_later();
}

std::string PlaceNames::make(uint32_t location) {
  return counts_.unique(text_of(locations_[location]));
}

std::string PlaceNames::object_text(const AllocatedObject& object) const {
  if (object.site == kNoSite) return {};
  const std::string text = " of the object allocated at " + symbols_.site_text(object.site);
  return object.number == 1 ? text : fmt::format("{} #{}", text, object.number);
}

std::string PlaceNames::text_of(const NamedPlace& place) const {
  const std::string_view what = place.what != 0 ? whats_[place.what - 1] : std::string_view();
  const std::string object = object_text(place.object);
  if (place.bytes > std::max<uint64_t>(place.element, kWordBytes)) {
    if (!what.empty() && place.element != 0) {
      return fmt::format("{} ({} elements){}", what, place.bytes / place.element, object);
    }
    if (what.empty() && !object.empty()) {
      return fmt::format("bytes {} to {}{}", place.offset, place.offset + place.bytes - 1, object);
    }
  }
  if (!what.empty()) return fmt::format("{}{}", what, object);
  // Its place in the block, for want of a better name.
  if (!object.empty()) return fmt::format("byte {}{}", place.offset, object);
  const std::string where = symbols_.site_text(place.where);
  return where.empty() ? place.fallback : fmt::format("{} used at {}", place.fallback, where);
}

}  // namespace foretrace
