// The report that scripts read: schema foretrace/findings/1, see DESIGN.md.
#include <nlohmann/json.hpp>

#include "findings/violated_units.h"
#include "report/report.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

// Names come from files of any encoding; what is not UTF-8 is replaced.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json event_json(const FindingEvent& event) {
  Json json = {{"index", event.index},
               {"thread", event.thread},
               {"op", std::string(name_of(event.op))},
               {"object", event.object},
               {"site", or_null(event.site)}};
  if (!event.function.empty()) json["function"] = event.function;
  if (!event.role.empty()) json["role"] = event.role;
  if (!event.held.empty()) {
    Json held = Json::array();
    for (const FindingLock& lock : event.held) {
      held.push_back({{"lock", lock.name}, {"shared", lock.shared}});
    }
    json["held"] = std::move(held);
  }
  return json;
}

Json finding_json(const Finding& finding) {
  Json events = Json::array();
  for (const FindingEvent& event : finding.events) events.push_back(event_json(event));
  return {{"id", finding.id},
          {"analysis", finding.analysis},
          {"kind", finding.kind},
          {"strength", std::string(name_of(finding.strength))},
          {"message", finding.message},
          {"reason", finding.reason},
          {"variable", or_null(finding.variable)},
          {"lock", or_null(finding.lock)},
          {"labels", finding.labels},
          {"events", std::move(events)},
          {"witness", finding.witness ? Json(*finding.witness) : Json(nullptr)},
          {"detail", finding.detail}};
}

Json units_json(const std::vector<Finding>& findings) {
  Json units = Json::array();
  for (const ViolatedUnit& unit : violated_units(findings)) {
    Json culprits = Json::array();
    for (const Culprit& culprit : unit.culprits) {
      culprits.push_back({{"where", culprit.where}, {"times", culprit.times}});
    }
    units.push_back({{"label", unit.label},
                     {"strength", std::string(name_of(unit.strength))},
                     {"times", unit.times},
                     {"culprits", std::move(culprits)}});
  }
  return units;
}

void write(const Report& report, const ReportStyle&, ByteSink& sink) {
  const Json trace = {{"source", report.source},
                      {"events", report.events},
                      {"threads", report.threads},
                      {"locations", report.locations},
                      {"locks", report.locks}};
  Json analyses = Json::object();
  for (const AnalysisRun& run : report.analyses) {
    Json& json = analyses[run.name] = {{"seconds", run.seconds}, {"passes", run.passes}};
    for (const Figure& row : run.figures) json["table"][row.name] = row.value;
    const Decisions& decisions = run.decisions;
    if (decisions.certified + decisions.infeasible + decisions.undecided == 0) continue;
    json["certified"] = decisions.certified;
    json["infeasible"] = decisions.infeasible;
    json["undecided"] = decisions.undecided;
  }
  const Json left_out = {{"suppressed", report.suppressed},
                         {"built_in", report.built_in},
                         {"known", report.known},
                         {"too_weak", report.too_weak}};
  // Finding by finding, so that a million of them need no second copy.
  sink.write(
      fmt::format("{{\"schema\": \"foretrace/findings/1\",\n \"trace\": {},\n "
                  "\"analyses\": {},\n \"certify\": {{\"seconds\": {}}},\n "
                  "\"left_out\": {},\n \"partial\": {},\n \"units\": {},\n \"findings\": [",
                  dumped(trace), dumped(analyses), report.deciding_seconds, dumped(left_out),
                  report.partial, dumped(units_json(report.findings))));
  std::string_view separator = "\n  ";
  for (const Finding& finding : report.findings) {
    sink.write(separator);
    sink.write(dumped(finding_json(finding)));
    separator = ",\n  ";
  }
  sink.write("]}\n");
}

const ReporterRegistration registration({
    .name = "json",
    .summary = "for scripts: schema foretrace/findings/1",
    .wants_excerpts = false,
    .write = write,
});

}  // namespace
}  // namespace foretrace
