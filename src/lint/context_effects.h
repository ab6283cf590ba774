// What contexts do to shared memory, the functions that they call included; where
// no code is known, the models say.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lint/models.h"
#include "lint/program.h"

namespace foretrace::lint {

// An op that reads and one that writes, if there are any.
struct LocationEffect {
  std::optional<Place> read;
  std::optional<Place> write;
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
  // Adds what is new; true if anything was.
  bool merge(const Effects& more);
  // Whether one of these locations (sorted) is read, or written.
  bool reads(const std::vector<LocationId>& any_of) const;
  bool writes(const std::vector<LocationId>& any_of) const;
  bool reads() const;  // anything

 private:
  std::vector<Entry> entries_;  // sorted
};

class ContextEffects {
 public:
  ContextEffects(const Program& program, const Models& models);

  // All that is done between a context's beginning and its end.
  const Effects& of(ContextId context) const { return whole_[context]; }
  // What one op does, without what called contexts do; and the calls included.
  const Effects& direct(const Place& place) const;
  Effects of(const Place& place) const;
  Effects of(ContextId context, std::span<const uint32_t> ops) const;
  // Whether the op, or what it calls, reads or writes one of these locations (sorted).
  bool reads(const Place& place, const std::vector<LocationId>& any_of) const;
  bool writes(const Place& place, const std::vector<LocationId>& any_of) const;
  bool reads(const Place& place) const;  // anything

  // The contexts that threads come to.
  const std::vector<ContextId>& contexts() const { return contexts_; }

 private:
  void add_access(const Place& place, const Access& access, Effects& effects) const;
  void add_unknown_call(const Place& place, const Call& call, Effects& effects) const;
  void add(const Place& place, const std::vector<LocationId>& locations, ObjectEffect effect,
           Effects& effects) const;
  // Without what called contexts do.
  Effects find_direct(const Place& place) const;
  void find_whole();

  const Program& program_;
  const Models& models_;
  std::vector<ContextId> contexts_;
  std::vector<std::unordered_map<uint32_t, Effects>> direct_;  // by context and op, if any
  std::vector<Effects> whole_;
};

}  // namespace foretrace::lint
