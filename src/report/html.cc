// The report that people read in a browser: web/ shows what this writes.
#include <set>

#include "base/text.h"
#include "findings/finding_json.h"
#include "findings/folding.h"
#include "findings/schedule.h"
#include "report/groups.h"
#include "report/kinds.h"
#include "report/page.h"
#include "report/report.h"
#include "report/source_lines.h"
#include "report/words.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kLinesAround = 3;
constexpr size_t kMostScheduleBytes = size_t{24} << 20;  // of all findings together

// "0+12 40 38+2": runs of indexes, in base 36.
std::string runs(const std::vector<uint64_t>& indexes) {
  const auto base36 = [](uint64_t number) {
    std::string digits;
    do {
      digits.insert(digits.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]);
      number /= 36;
    } while (number > 0);
    return digits;
  };
  std::string text;
  for (size_t i = 0; i < indexes.size();) {
    size_t end = i + 1;
    while (end < indexes.size() && indexes[end] == indexes[end - 1] + 1) ++end;
    text += (text.empty() ? "" : " ") + base36(indexes[i]);
    if (end - i > 1) text += "+" + base36(end - i);
    i = end;
  }
  return text;
}

class Html {
 public:
  Html(const Report& report, ByteSink& sink) : report_(report), page_(sink) {}

  void write() {
    page_.begin();
    page_.raw("{\"view\":\"report\"");
    member("version", FORETRACE_VERSION);
    member("trace", {{"source", report_.source},
                     {"file", report_.trace_file},
                     {"events", report_.events},
                     {"threads", report_.threads},
                     {"locations", report_.locations},
                     {"locks", report_.locks},
                     {"lines", report_.lines}});
    member("partial", report_.partial);
    member("caveats", caveats(report_));
    member("analyses", analyses_json());
    write_findings();
    member("groups", groups_json());
    member("kinds", kinds_json());
    member("sources", sources_json());
    member("events", report_.event_table.symbols ? table_json(report_.event_table) : Json(nullptr));
    page_.raw("}");
    page_.end();
  }

 private:
  void member(std::string_view name, const Json& value) {
    page_.raw(fmt::format(",\n\"{}\":", name));
    page_.raw(dumped(value));
  }

  Json analyses_json() const {
    Json list = Json::array();
    for (const AnalysisRun& run : report_.analyses) {
      const Result<const AnalysisInfo*> info = analysis_named(run.name);
      Json figures = Json::array();
      for (const Figure& figure : run.figures) figures.push_back({figure.name, figure.text});
      list.push_back({{"name", run.name},
                      {"summary", info ? std::string((*info)->summary) : ""},
                      {"seconds", run.seconds},
                      {"passes", run.passes},
                      {"certified", run.decisions.certified},
                      {"infeasible", run.decisions.infeasible},
                      {"undecided", run.decisions.undecided},
                      {"figures", std::move(figures)}});
    }
    return list;
  }

  // Finding by finding, so that many of them need no second copy.
  void write_findings() {
    page_.raw(",\n\"findings\":[");
    std::string_view separator = "\n";
    for (size_t i = 0; i < report_.findings.size(); ++i) {
      page_.raw(separator);
      page_.raw(dumped(one(i)));
      separator = ",\n";
    }
    page_.raw("]");
  }

  Json one(size_t place) {
    const Finding& finding = report_.findings[place];
    Finding plain = finding;
    plain.witness.reset();
    forget_folded(plain);
    Json json = finding_json(plain);
    json["headline"] = headline(finding);
    if (const std::string text = folded_text(finding); !text.empty()) json["folded"] = text;
    if (const std::string text = decision_text(finding); !text.empty()) json["decision"] = text;
    for (size_t i = 0; i < finding.events.size(); ++i) {
      json["events"][i]["verb"] = verb(finding.events[i].op);
    }
    json["witness"] = schedule(place);
    return json;
  }

  // The witness as runs; null if there is none, false if it is left out.
  Json schedule(size_t place) {
    const Finding& finding = report_.findings[place];
    if (!finding.witness && has_schedule(finding)) return false;
    if (!finding.witness) return nullptr;
    const std::vector<bool>& drawn = report_.event_table.has_schedule;
    if (place < drawn.size() && !drawn[place]) return false;
    std::string text = runs(*finding.witness);
    if (schedule_bytes_ + text.size() > kMostScheduleBytes) return false;
    schedule_bytes_ += text.size();
    return text;
  }

  Json groups_json() const {
    Json list = Json::array();
    for (const Group& group : grouped(report_.findings)) {
      list.push_back({group.leader, group.same_error, group.same_places});
    }
    return list;
  }

  Json kinds_json() const {
    Json kinds = Json::object();
    for (const Finding& finding : report_.findings) {
      if (kinds.contains(finding.kind)) continue;
      const KindHelp help = help_of_kind(finding.kind);
      kinds[finding.kind] = {
          {"title", help.title}, {"meaning", help.meaning}, {"remedy", help.remedy}};
    }
    return kinds;
  }

  // By site: the lines around it, where the source is at hand; of the other
  // events of schedules, their own line.
  Json sources_json() {
    Json sources = Json::object();
    const auto add = [&](const std::string& site, uint64_t around) {
      if (site.empty() || sources.contains(site)) return;
      const std::vector<SourceLines::Line> lines = lines_.around(site, around);
      if (lines.empty()) return;
      Json texts = Json::array();
      for (const SourceLines::Line& line : lines) texts.push_back(printable(line.text, 200));
      sources[site] = {lines.front().number, std::move(texts)};
    };
    std::set<std::string> seen;
    for (const Finding& finding : report_.findings) {
      for (const FindingEvent& event : finding.events) {
        if (seen.insert(event.site).second) add(event.site, kLinesAround);
      }
    }
    const EventTable& table = report_.event_table;
    std::set<SiteId> sites;
    for (const Event& event : table.events) {
      if (sites.insert(event.site).second) add(table.symbols->site_text(event.site), 0);
    }
    return sources;
  }

  const Report& report_;
  PageWriter page_;
  SourceLines lines_;
  size_t schedule_bytes_ = 0;
};

const ReporterRegistration registration({
    .name = "html",
    .summary = "a page to read in a browser: filters, source, schedules to step through",
    .wants_events = true,
    .missing = why_no_page(),
    .write = [](const Report& report, const ReportStyle&,
                ByteSink& sink) { Html(report, sink).write(); },
});

}  // namespace
}  // namespace foretrace
