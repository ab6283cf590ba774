// What contexts do to shared memory, the functions that they call included; where
// no code is known, the models say.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "lint/models.h"
#include "lint/numbered.h"
#include "lint/program.h"

namespace foretrace::lint {

// What is done to a location.
struct LocationEffect {
  bool read = false;
  bool write = false;
  friend auto operator<=>(const LocationEffect&, const LocationEffect&) = default;
};

// By location.
class Effects {
 public:
  using Entry = std::pair<LocationId, LocationEffect>;
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  LocationEffect& operator[](LocationId location);
  bool contains(LocationId location) const;
  // Those of these locations (sorted) that are among them, in order.
  template <typename Visit>
  void for_each(const std::vector<LocationId>& wanted, Visit visit) const {
    auto at = entries_.begin();
    auto next = wanted.begin();
    while (at != entries_.end() && next != wanted.end()) {
      if (at->first < *next) {
        at = std::lower_bound(at, entries_.end(), *next,
                              [](const Entry& entry, LocationId id) { return entry.first < id; });
      } else if (*next < at->first) {
        next = std::lower_bound(next, wanted.end(), at->first);
      } else {
        visit(at->first, at->second);
        ++at;
        ++next;
      }
    }
  }
  void merge(const Effects& more);
  void shrink() { entries_.shrink_to_fit(); }
  // Whether one of these locations (sorted) is read, or written.
  bool reads(const std::vector<LocationId>& any_of) const;
  bool writes(const std::vector<LocationId>& any_of) const;
  bool reads() const;  // anything
  friend auto operator<=>(const Effects&, const Effects&) = default;

 private:
  std::vector<Entry> entries_;  // sorted
};

class ContextEffects {
 public:
  ContextEffects(const Program& program, const Models& models);

  // All that is done between a context's beginning and its end.
  const Effects& of(ContextId context) const { return wholes_.at(whole_of_[context]); }
  // What one op does, without what called contexts do; and the calls included.
  const Effects& direct(const Place& place) const;
  Effects of(const Place& place) const;
  Effects of(ContextId context, std::span<const uint32_t> ops) const;
  // Whether the op, or what it calls, reads or writes one of these locations (sorted).
  bool reads(const Place& place, const std::vector<LocationId>& any_of) const;
  bool writes(const Place& place, const std::vector<LocationId>& any_of) const;
  bool reads(const Place& place) const;  // anything

  // The first of these ops, and of what they call, that reads or writes the location.
  std::optional<Place> find(ContextId context, std::span<const uint32_t> ops, LocationId location,
                            bool write) const;

  // The contexts that threads come to.
  const std::vector<ContextId>& contexts() const { return contexts_; }

 private:
  void add_access(const Place& place, const Access& access, Effects& effects) const;
  void add_unknown_call(const Place& place, const Call& call, Effects& effects) const;
  void add(const Place& place, const Path& path, const std::vector<LocationId>& locations,
           ObjectEffect effect, Effects& effects) const;
  // Without what called contexts do.
  Effects find_direct(const Place& place) const;
  void find_whole();
  class Search;

  const Program& program_;
  const Models& models_;
  std::vector<ContextId> contexts_;
  tsl::robin_map<uint64_t, Effects, IntegerHash> direct_;  // by context and op, if any
  // Many contexts do the same, those of a recursion for a start.
  Numbered<Effects> wholes_;
  std::vector<Numbered<Effects>::Number> whole_of_;  // by context
};

}  // namespace foretrace::lint
