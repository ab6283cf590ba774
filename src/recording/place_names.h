// Names for what a program keeps in memory: its variables, locks and barriers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tsl/robin_map.h>

#include "recording/recorded_names.h"
#include "trace/symbols.h"

namespace foretrace {

// How many have the same name so far: the second is "balance #2". By the names' hashes: for
// two names that share one, a number that was not needed does no harm.
class NameCounts {
 public:
  std::string unique(std::string name);

 private:
  tsl::robin_map<uint64_t, uint32_t> counts_;
};

// A block of memory that the program allocated.
struct AllocatedObject {
  SiteId site = kNoSite;  // where; kNoSite: not known, and it is no part of a name
  uint32_t number = 0;    // of those that were allocated there; the first is 1
};

// Some bytes, as far as they are part of a name.
struct NamedPlace {
  const char* fallback = "memory";  // what to call it at worst
  SiteId where = kNoSite;           // who uses it
  uint32_t what = 0;                // of PlaceNames::add_what()
  uint32_t element = 0;             // RecordedSite::element
  AllocatedObject object = {};      // that they are in,
  uint64_t offset = 0;              // and how far from its start
  uint64_t bytes = 0;               // of a location that may have several elements; else 0
};

// Makes the names of locations when somebody asks for them: a run has many, and reports
// hardly any.
class PlaceNames : public NameMaker {
 public:
  // The symbols own this.
  explicit PlaceNames(Symbols& symbols) : symbols_(symbols) {}

  // What is at a place, as the program calls it. 0: nothing is known.
  uint32_t add_what(const RecordedSite& site);
  uint32_t add_what(std::string_view text) { return whats_.append(text) + 1; }
  LocationId add_location(const NamedPlace& place);
  std::string make(uint32_t location) override;

  // A name that others may have, too.
  std::string text_of(const NamedPlace& place) const;

 private:
  std::string object_text(const AllocatedObject& object) const;

  Symbols& symbols_;
  NameTable whats_;
  tsl::robin_map<const RecordedSite*, uint32_t> of_sites_;
  StableVector<NamedPlace> locations_;
  NameCounts counts_;  // of locations
};

}  // namespace foretrace
