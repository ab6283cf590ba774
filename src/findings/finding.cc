#include "findings/finding.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include "base/text.h"

namespace foretrace {
namespace {

// Every part ends in a zero byte, so that no two sequences of parts run into
// each other.
void append_part(std::string& text, std::string_view part) {
  text += part;
  text += '\0';
}

std::string identity_of(const Finding& finding) {
  std::string text;
  append_part(text, finding.analysis);
  append_part(text, finding.kind);
  append_part(text, finding.variable.value_or(""));
  append_part(text, finding.lock.value_or(""));
  for (const std::string& label : finding.labels) append_part(text, label);
  std::vector<std::string> places;
  for (const FindingEvent& event : finding.events) {
    std::string place;
    append_part(place, name_of(event.op));
    append_part(place, event.object);
    append_part(place, event.site);
    append_part(place, event.function);
    places.push_back(std::move(place));
  }
  std::sort(places.begin(), places.end());
  for (const std::string& place : places) append_part(text, place);
  return text;
}

}  // namespace

Finding make_finding(Candidate candidate, const Symbols& symbols) {
  Finding finding;
  finding.analysis = std::move(candidate.analysis);
  finding.kind = std::move(candidate.kind);
  finding.strength = candidate.strength;
  finding.message = std::move(candidate.message);
  finding.reason = std::move(candidate.reason);
  for (const CandidateEvent& event : candidate.events) {
    FindingEvent& made = finding.events.emplace_back();
    made.index = event.index;
    made.thread = symbols.thread(event.event.thread);
    made.op = event.event.op();
    made.object = symbols.object(event.event);
    made.thread_number = event.event.thread;
    made.site_number = event.event.site;
    made.site = symbols.site_text(event.event.site);
    made.function = symbols.site_function(event.event.site);
    made.held_known = event.held_known;
    made.role = event.role;
    for (const HeldLock& held : event.held) {
      made.held.push_back({std::string(symbols.lock(held.lock)), held.shared});
    }
  }
  if (candidate.variable) finding.variable = symbols.location(*candidate.variable);
  if (candidate.lock) finding.lock = symbols.lock(*candidate.lock);
  for (const uint32_t label : candidate.labels) {
    finding.labels.emplace_back(symbols.names(Space::label)[label]);
  }
  finding.witness = std::move(candidate.witness);
  finding.detail = std::move(candidate.detail);
  return finding;
}

std::vector<Finding> make_findings(std::vector<Candidate> candidates, const Symbols& symbols) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.analysis < b.analysis; });
  std::set<std::tuple<std::string, std::string, std::vector<uint64_t>>> seen;
  std::vector<Finding> findings;
  for (Candidate& candidate : candidates) {
    std::vector<uint64_t> indexes;
    for (const CandidateEvent& event : candidate.events) indexes.push_back(event.index);
    if (!seen.emplace(candidate.analysis, candidate.kind, std::move(indexes)).second) continue;
    findings.push_back(make_finding(std::move(candidate), symbols));
  }
  assign_ids(findings);
  return findings;
}

std::string common_id(const Finding& finding) {
  const std::string identity = identity_of(finding);
  return fmt::format("{}-{:016x}", finding.analysis, XXH3_64bits(identity.data(), identity.size()));
}

void assign_ids(std::vector<Finding>& findings) {
  std::unordered_map<std::string, uint32_t> seen;
  for (Finding& finding : findings) {
    finding.id = common_id(finding);
    const uint32_t count = ++seen[finding.id];
    if (count > 1) finding.id += fmt::format("-{}", count);
  }
}

std::optional<FindingId> parse_id(std::string_view id) {
  constexpr size_t kHashDigits = 16;
  const auto is_hash = [](std::string_view word) {
    return word.size() == kHashDigits &&
           word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  };
  FindingId parts;
  size_t dash = id.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  if (!is_hash(id.substr(dash + 1))) {
    const Result<uint64_t> number = parse_count(id.substr(dash + 1));
    if (!number || *number < 2 || *number > UINT32_MAX) return std::nullopt;
    parts.number = static_cast<uint32_t>(*number);
    id = id.substr(0, dash);
    dash = id.rfind('-');
    if (dash == std::string_view::npos || !is_hash(id.substr(dash + 1))) return std::nullopt;
  }
  parts.analysis = id.substr(0, dash);
  parts.common = id;
  return parts;
}

}  // namespace foretrace
