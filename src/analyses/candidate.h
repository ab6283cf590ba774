// What analyses propose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "order/lockset.h"
#include "trace/event.h"

namespace foretrace {

// How well an error is established; see DESIGN.md, "propose, certify, reproduce".
enum class Strength {
  predicted,  // the analysis says so
  certified,  // a checked schedule exists
  observed,   // it happened: the trace itself, or a forced run, shows it
};
std::string_view name_of(Strength strength);
std::optional<Strength> strength_named(std::string_view name);

struct CandidateEvent {
  uint64_t index = 0;
  Event event = {};
  std::vector<HeldLock> held;  // the locks that its thread holds
  bool held_known = true;      // else `held` says nothing
  std::string role = {};       // what it has to do with the error, if that needs saying
};

// A read that sees another write than in the trace; no index: the initial value.
struct OtherRead {
  uint64_t read = 0;
  std::optional<uint64_t> writer;
  std::optional<uint64_t> challenger;
};

// A possible error, in the numbers of the trace. Plain data.
struct Candidate {
  std::string analysis;  // whose name it is reported under
  std::string kind;      // "data-race", "deadlock", …
  Strength strength = Strength::predicted;
  std::string message;  // one sentence in plain words
  std::string reason;   // one or more sentences: why the analysis thinks so
  std::vector<CandidateEvent> events;
  std::optional<LocationId> variable;
  std::optional<LockId> lock;
  std::vector<uint32_t> labels;
  // If not empty: a schedule shows the error if it contains these events, the
  // first of each pair before the second.
  std::vector<std::pair<uint64_t, uint64_t>> order;
  std::optional<OtherRead> other_read;  // if that is the error
  std::optional<std::vector<uint64_t>> witness;
  // Candidates of one analysis with the same group are instances of one error,
  // of which one is enough; 0 is no group.
  uint64_t group = 0;
  // Worth reporting only if a schedule is found.
  bool only_if_certified = false;
  nlohmann::ordered_json detail = nlohmann::ordered_json::object();
};

}  // namespace foretrace
