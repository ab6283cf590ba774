#include "hunting/script.h"

#include <algorithm>

#include "findings/schedule.h"
#include "hunting/known_findings.h"

namespace foretrace {
namespace {

// What a thread can be held in front of.
bool is_synchronisation(Op op) {
  switch (op) {
    case Op::acq:
    case Op::racq:
    case Op::wait:
    case Op::fork:
    case Op::join:
    case Op::barrier:
    case Op::vrd:
    case Op::vwr:
    case Op::vrmw:
    case Op::ard:
    case Op::awr:
    case Op::armw:
      return true;
    default:
      return false;
  }
}

SteerStep step_of(const FindingEvent& event, bool last) {
  SteerStep step;
  step.thread = event.thread;
  step.place = event.site;
  step.access = event.op == Op::wr ? "write" : event.op == Op::rd ? "read" : "any";
  step.last = last;
  step.sync = !is_access(event.op);
  return step;
}

}  // namespace

void PlaceNames::learn(const SteeredReport& report, PlaceResolver& resolver) {
  for (const RawEntry& entry : report.entries) {
    for (const RawAccess& access : entry.accesses) {
      if (!access.place.known) continue;
      names_[text_of(resolver.shown(access.place, access.frames))].insert(access.place.key);
    }
  }
}

std::vector<std::string> PlaceNames::of(const std::string& site) const {
  std::vector<std::string> found;
  for (const auto& [text, names] : names_) {
    if (same_place(text, site)) found.insert(found.end(), names.begin(), names.end());
  }
  if (found.empty()) found.push_back(site);
  return found;
}

Script make_script(const Finding& finding, const Trace& trace) {
  Script script;
  script.is_ordered = finding.kind != "data-race" && finding.kind != "deadlock";
  std::map<uint64_t, const FindingEvent*> own;
  for (const FindingEvent& event : finding.events) own[event.index] = &event;
  std::set<uint64_t> placed;
  for (const uint64_t index : schedule_of(finding, trace)) {
    const auto mine = own.find(index);
    if (mine != own.end()) {
      // In the order of the witness; those that meet come last of all.
      if (is_access(mine->second->op) || mine->second->op == Op::acq) {
        script.ending.push_back(step_of(*mine->second, !script.is_ordered));
        placed.insert(index);
      }
      continue;
    }
    if (index >= trace.events.size()) continue;
    const Event& event = trace.events[index];
    const std::string site = trace.symbols->site_text(event.site);
    if (!is_synchronisation(event.op()) || site.empty()) continue;
    script.schedule.push_back(
        {std::string(trace.symbols->thread(event.thread)), site, "any", false, true});
  }
  for (const FindingEvent& event : finding.events) {
    if (!placed.contains(event.index) && (is_access(event.op) || event.op == Op::acq)) {
      script.ending.push_back(step_of(event, !script.is_ordered));
    }
  }
  std::erase_if(script.ending, [](const SteerStep& step) { return step.place.empty(); });
  return script;
}

std::vector<SteerStep> named_steps(const std::vector<SteerStep>& steps, const PlaceNames& names) {
  std::vector<SteerStep> named;
  for (const SteerStep& step : steps) {
    const std::vector<std::string> places = names.of(step.place);
    SteerStep copy = step;
    copy.place = fmt::format("{}", fmt::join(places, "|"));
    named.push_back(std::move(copy));
  }
  return named;
}

}  // namespace foretrace
