// The report that scripts read: schema foretrace/findings/1, see DESIGN.md.
#include "findings/finding_json.h"
#include "findings/violated_units.h"
#include "report/report.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

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
  Json trace = {{"source", report.source},
                {"events", report.events},
                {"threads", report.threads},
                {"locations", report.locations},
                {"locks", report.locks}};
  if (!report.trace_file.empty() && report.trace_file != report.source) {
    trace["file"] = report.trace_file;
  }
  if (report.lines > 0) trace["lines"] = report.lines;
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
    .write = write,
});

}  // namespace
}  // namespace foretrace
