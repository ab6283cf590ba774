// Findings: what is reported. Plain data in the words of the program; knows
// nothing of how it is printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "analyses/candidate.h"
#include "trace/symbols.h"

namespace foretrace {

struct FindingLock {
  std::string name;
  bool shared = false;
};

// A call that led to an event.
struct FindingCall {
  std::string site;
  std::string function;
};

// The index of what is no event of a trace: places in the source that lint found.
inline constexpr uint64_t kNoIndex = UINT64_MAX;

struct FindingEvent {
  uint64_t index = 0;
  std::string thread;
  Op op = Op::skip;
  std::string object;
  std::string site;      // "bank.cpp:41"; empty if not known
  std::string function;  // empty if not known
  std::vector<FindingLock> held;
  bool held_known = true;
  std::string role = {};  // what it has to do with the error, if that needs saying
  ThreadId thread_number = 0;
  SiteId site_number = kNoSite;
  std::vector<FindingCall> calls = {};  // innermost first; empty if not known
  std::string thread_start = {};        // "by main at bank.cpp:20"; empty if not known
};

struct Finding {
  std::string id;  // see assign_ids()
  std::string analysis;
  std::string kind;
  Strength strength = Strength::predicted;
  std::string message;
  std::string reason;
  std::vector<FindingEvent> events;
  std::optional<std::string> variable;
  std::optional<std::string> lock;
  std::vector<std::string> labels;
  std::optional<std::vector<uint64_t>> witness;
  nlohmann::ordered_json detail;
};

Finding make_finding(Candidate candidate, const Symbols& symbols);

// The findings of all candidates, with ids, by analysis and then as proposed.
// What two analyses proposed under one name is one finding.
std::vector<Finding> make_findings(std::vector<Candidate> candidates, const Symbols& symbols);

// An id that is the same in every run that has the error: the analysis and a hash
// of what the error is (kind, variable, lock, labels) and where (operations and
// sites of its events, in any order), but not of indexes or threads.
std::string common_id(const Finding& finding);
// Gives each finding its id: the common one, and findings that share it are told
// apart by -2, -3, …
void assign_ids(std::vector<Finding>& findings);

// The parts of an id.
struct FindingId {
  std::string analysis;
  std::string common;   // without the number
  uint32_t number = 1;  // among those that share it
};
std::optional<FindingId> parse_id(std::string_view id);

}  // namespace foretrace
