#include "report/read_report.h"

#include "findings/finding_json.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

// Numbers that are missing or no numbers are 0: they are only shown.
uint64_t count_of(const Json& json, const char* key) {
  if (!json.is_object()) return 0;
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

std::string text_of(const Json& json, const char* key) {
  if (!json.is_object()) return "";
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

AnalysisRun run_of(const std::string& name, const Json& json) {
  AnalysisRun run;
  run.name = name;
  if (!json.is_object()) return run;
  if (const auto seconds = json.find("seconds"); seconds != json.end() && seconds->is_number()) {
    run.seconds = seconds->get<double>();
  }
  run.passes = count_of(json, "passes");
  run.decisions.certified = count_of(json, "certified");
  run.decisions.infeasible = count_of(json, "infeasible");
  run.decisions.undecided = count_of(json, "undecided");
  if (const auto table = json.find("table"); table != json.end() && table->is_object()) {
    for (const auto& [key, value] : table->items()) {
      run.figures.push_back(
          {key, value, value.is_string() ? value.get<std::string>() : dumped(value)});
    }
  }
  return run;
}

}  // namespace

Result<Report> read_report(const std::string& path) {
  const Result<Json> json = read_report_json(path, "a report to show");
  if (!json) return tl::unexpected(json.error());
  Report report;
  const Json trace = json->value("trace", Json::object());
  report.source = text_of(trace, "source");
  report.trace_file = text_of(trace, "file");
  report.events = count_of(trace, "events");
  report.threads = count_of(trace, "threads");
  report.locations = count_of(trace, "locations");
  report.locks = count_of(trace, "locks");
  report.lines = count_of(trace, "lines");
  const Json analyses = json->value("analyses", Json::object());
  if (analyses.is_object()) {
    for (const auto& [name, run] : analyses.items()) report.analyses.push_back(run_of(name, run));
  }
  const Json left_out = json->value("left_out", Json::object());
  report.suppressed = count_of(left_out, "suppressed");
  report.built_in = count_of(left_out, "built_in");
  report.known = count_of(left_out, "known");
  report.too_weak = count_of(left_out, "too_weak");
  report.partial = json->value("partial", Json(false)) == true;
  for (const Json& one : (*json)["findings"]) {
    Result<Finding> finding = finding_from_json(one);
    if (!finding) return fail("{}: {}", path, finding.error().message);
    report.findings.push_back(std::move(*finding));
  }
  return report;
}

}  // namespace foretrace
