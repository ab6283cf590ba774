// SARIF 2.1.0, which code hosts and editors read.
#include <filesystem>
#include <map>

#include "base/text.h"
#include "findings/finding_json.h"
#include "report/kinds.h"
#include "report/report.h"
#include "report/source_lines.h"
#include "report/words.h"
#include "trace/interner.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

// The path as a URI: relative to the current folder if the file lies in it, which
// is where code hosts look for it.
std::string uri_of(const std::string& file) {
  std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  std::error_code error;
  if (path.is_absolute()) {
    const std::filesystem::path here = std::filesystem::current_path(error);
    const std::filesystem::path inside = path.lexically_relative(here);
    if (!error && !inside.empty() && *inside.begin() != "..") path = inside;
  }
  std::string uri = path.is_absolute() ? "file://" : "";
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

Json message(const std::string& text) { return {{"text", text.empty() ? "(no text)" : text}}; }

class Sarif {
 public:
  explicit Sarif(const Report& report) : report_(report) {}

  void write(ByteSink& sink) {
    Json results = Json::array();
    for (size_t i = 0; i < report_.findings.size(); ++i) {
      Json json = result(report_.findings[i]);
      json["codeFlows"] = code_flows(i);
      if (report_.has_baseline) json["baselineState"] = "new";
      results.push_back(std::move(json));
    }
    for (const LeftOut& left_out : report_.left_out) results.push_back(result(left_out));
    const Json run = {
        {"tool", {{"driver", driver()}}},
        {"invocations", Json::array({{{"executionSuccessful", true},
                                      {"toolExecutionNotifications", notifications()}}})},
        {"columnKind", "unicodeCodePoints"},
        {"properties",
         {{"trace", report_.source}, {"events", report_.events}, {"threads", report_.threads}}},
        {"results", std::move(results)}};
    sink.write(dumped({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                       {"version", "2.1.0"},
                       {"runs", Json::array({run})}}));
    sink.write("\n");
  }

 private:
  Json driver() const {
    return {{"name", "Foretrace"}, {"semanticVersion", FORETRACE_VERSION}, {"rules", rules_}};
  }

  Json notifications() const {
    Json list = Json::array();
    for (const std::string& line : caveats(report_)) {
      list.push_back({{"level", "note"}, {"message", message(line)}});
    }
    return list;
  }

  // The rule's place among the rules, which it enters when it is first used.
  size_t rule_of(const Finding& finding) {
    const auto [entry, fresh] = rule_places_.try_emplace(finding.kind, rules_.size());
    if (fresh) {
      const KindHelp help = help_of_kind(finding.kind);
      const std::string text = help.meaning + (help.remedy.empty() ? "" : " " + help.remedy);
      rules_.push_back({{"id", finding.kind},
                        {"name", help.title},
                        {"shortDescription", message(help.title)},
                        {"fullDescription", message(help.meaning)},
                        {"help", {{"text", text}, {"markdown", "**" + help.title + ".** " + text}}},
                        {"defaultConfiguration", {{"level", "error"}}},
                        {"properties", {{"tags", {"concurrency", "correctness"}}}}});
    }
    return entry->second;
  }

  Json result(const Finding& finding) {
    // The number at the end of an id counts findings that look the same.
    const std::optional<FindingId> id = parse_id(finding.id);
    Json json = {{"ruleId", finding.kind},
                 {"ruleIndex", rule_of(finding)},
                 {"level", finding.strength == Strength::predicted ? "warning" : "error"},
                 {"message", message(text_of(finding))},
                 {"locations", Json::array()},
                 {"partialFingerprints", {{"foretraceId/v1", id ? id->common : finding.id}}},
                 {"fingerprints", {{"foretraceId/v1", finding.id}}},
                 {"relatedLocations", Json::array()},
                 {"properties",
                  {{"analysis", finding.analysis},
                   {"strength", std::string(name_of(finding.strength))},
                   {"detail", finding.detail}}}};
    for (const FindingEvent& event : finding.events) {
      Json place = location(event.site, event_sentence(event));
      place["logicalLocations"] = logical(event);
      if (json["locations"].empty()) {
        json["locations"].push_back(std::move(place));
      } else {
        place["id"] = json["relatedLocations"].size();
        json["relatedLocations"].push_back(std::move(place));
      }
    }
    return json;
  }

  Json result(const LeftOut& left_out) {
    Json json = result(left_out.finding);
    if (left_out.why == LeftOut::Why::suppressed) {
      json["suppressions"] =
          Json::array({{{"kind", "external"}, {"justification", left_out.rule}}});
    } else {
      json["baselineState"] = left_out.why == LeftOut::Why::known ? "unchanged" : "absent";
    }
    return json;
  }

  static std::string text_of(const Finding& finding) {
    std::string text = finding.message.empty() ? headline(finding) : finding.message;
    if (!text.ends_with('.')) text += '.';
    const std::string decision = decision_text(finding);
    return decision.empty() ? text : text + ' ' + decision;
  }

  static Json logical(const FindingEvent& event) {
    Json list = Json::array();
    if (!event.function.empty()) {
      list.push_back({{"fullyQualifiedName", event.function}, {"kind", "function"}});
    }
    list.push_back({{"name", event.object},
                    {"kind", space_of(event.op) == Space::location ? "variable" : "resource"}});
    return list;
  }

  // What has no site in the source gets the trace as its place: code hosts want one.
  Json location(const std::string& site, const std::string& text) {
    Json json = physical(site);
    if (json.is_null()) {
      json = {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(report_.source)}}}}}};
    }
    json["message"] = message(text);
    return json;
  }

  Json physical(const std::string& site) {
    const SiteText parts = parse_site(site);
    if (parts.file.empty() || parts.line == 0) return nullptr;
    Json region = {{"startLine", parts.line}};
    if (parts.column > 0) region["startColumn"] = parts.column;
    if (const auto line = sources_.at(site)) region["snippet"] = message(line->text);
    return {
        {"physicalLocation",
         {{"artifactLocation", {{"uri", uri_of(std::string(parts.file))}}}, {"region", region}}}};
  }

  // One flow per thread, through the schedule that shows the error, or else
  // through the trace.
  Json code_flows(size_t place) {
    const Finding& finding = report_.findings[place];
    Json flows = Json::array();
    if (place < report_.excerpts.size()) {
      const Excerpt& observed = report_.excerpts[place];
      const Excerpt witness = witness_excerpt(observed, finding);
      const Excerpt& shown = witness.rows.empty() ? observed : witness;
      std::map<size_t, Json> by_thread;
      for (size_t i = 0; i < shown.rows.size(); ++i) {
        const ExcerptRow& row = shown.rows[i];
        by_thread[row.column].push_back(
            step(row.site, row.text, i, row.marked ? "essential" : "unimportant"));
      }
      for (auto& [column, steps] : by_thread) {
        flows.push_back(thread_flow(shown.threads[column], std::move(steps)));
      }
    } else {
      std::map<std::string, Json> by_thread;
      for (size_t i = 0; i < finding.events.size(); ++i) {
        const FindingEvent& event = finding.events[i];
        Json& steps = by_thread[event.thread];
        // The way from the thread's entry, outermost call first.
        for (auto call = event.calls.rbegin(); call != event.calls.rend(); ++call) {
          steps.push_back(step(call->site, call->function + " calls", i, "important"));
        }
        steps.push_back(step(event.site, event_sentence(event), i, "essential"));
      }
      for (auto& [thread, steps] : by_thread)
        flows.push_back(thread_flow(thread, std::move(steps)));
    }
    if (flows.empty()) return flows;
    const bool witness = finding.strength == Strength::certified;
    const bool source = finding.events.front().index == kNoIndex;
    return Json::array({{{"message", message(witness  ? "A schedule that shows it"
                                             : source ? "How the threads come to these places"
                                                      : "The trace as it was observed")},
                         {"threadFlows", std::move(flows)}}});
  }

  Json step(const std::string& site, const std::string& text, size_t order,
            std::string_view importance) {
    return {{"location", location(site, text)},
            {"executionOrder", order},
            {"importance", std::string(importance)}};
  }

  static Json thread_flow(const std::string& thread, Json steps) {
    return {
        {"id", thread}, {"message", message("thread " + thread)}, {"locations", std::move(steps)}};
  }

  const Report& report_;
  SourceLines sources_;
  Json rules_ = Json::array();
  std::map<std::string, size_t> rule_places_;  // by kind
};

const ReporterRegistration registration({
    .name = "sarif",
    .summary = "SARIF 2.1.0, for code hosts and editors",
    .wants_excerpts = true,
    .write = [](const Report& report, const ReportStyle&,
                ByteSink& sink) { Sarif(report).write(sink); },
});

}  // namespace
}  // namespace foretrace
