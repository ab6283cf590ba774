// What contexts do to shared memory, the functions that they call included; where
// no code is known, the models say.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lint/models.h"
#include "lint/program.h"

namespace foretrace::lint {

// An op that reads and one that writes, if there are any.
struct LocationEffect {
  std::optional<Place> read;
  std::optional<Place> write;
};
using Effects = std::map<LocationId, LocationEffect>;

class ContextEffects {
 public:
  ContextEffects(const Program& program, const Models& models);

  // All that is done between a context's beginning and its end.
  const Effects& of(ContextId context) const { return whole_[context]; }
  // What one op does, the calls that it makes included.
  Effects of(const Place& place) const;
  Effects of(ContextId context, std::span<const uint32_t> ops) const;

  // The contexts that threads come to.
  const std::vector<ContextId>& contexts() const { return contexts_; }

 private:
  void add_access(const Place& place, const Access& access, Effects& effects) const;
  void add_unknown_call(const Place& place, const Call& call, Effects& effects) const;
  void add(const Place& place, const std::vector<LocationId>& locations, ObjectEffect effect,
           Effects& effects) const;
  // Without what called contexts do.
  Effects direct(const Place& place) const;

  const Program& program_;
  const Models& models_;
  std::vector<ContextId> contexts_;
  std::vector<Effects> whole_;
};

// Adds what is new; true if anything was.
bool merge(Effects& into, const Effects& more);

}  // namespace foretrace::lint
