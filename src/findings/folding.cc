#include "findings/folding.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kMore = "more";

Json short_json(const Finding& finding) {
  Json events = Json::array();
  for (const FindingEvent& event : finding.events) {
    events.push_back({{"thread", event.thread},
                      {"op", std::string(name_of(event.op))},
                      {"object", event.object},
                      {"site", event.site},
                      {"function", event.function}});
  }
  Json json = {{"id", finding.id}, {"variable", finding.variable.value_or("")}};
  if (!finding.labels.empty()) json["labels"] = finding.labels;
  json["events"] = std::move(events);
  return json;
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string message_of(const Finding& finding) {
  std::vector<std::string> parts;
  for (const FindingEvent& event : finding.events) {
    parts.push_back(fmt::format("{} at {}", writes(event.op) ? "written" : "read", event.site));
  }
  return fmt::format("{} is {}", finding.variable.value_or("it"), fmt::join(parts, ", "));
}

// Whatever it is: it comes from a file.
Finding from_short(const Json& json, const Finding& shown) {
  Finding finding;
  finding.id = text_of(json, "id");
  finding.analysis = shown.analysis;
  finding.kind = shown.kind;
  finding.strength = shown.strength;
  finding.reason = shown.reason;
  finding.variable = text_of(json, "variable");
  finding.detail = Json::object();
  if (const auto labels = json.find("labels"); labels != json.end() && labels->is_array()) {
    for (const Json& label : *labels) {
      if (label.is_string()) finding.labels.push_back(label.get<std::string>());
    }
  }
  if (const auto events = json.find("events"); events != json.end() && events->is_array()) {
    for (const Json& one : *events) {
      FindingEvent& event = finding.events.emplace_back();
      event.index = kNoIndex;
      event.thread = text_of(one, "thread");
      event.op = op_named(text_of(one, "op")).value_or(Op::rd);
      event.object = text_of(one, "object");
      event.site = text_of(one, "site");
      event.function = text_of(one, "function");
      event.held_known = false;
    }
  }
  finding.message = message_of(finding);
  return finding;
}

}  // namespace

Finding folded(std::vector<Finding> findings) {
  Finding shown = std::move(findings.front());
  if (findings.size() == 1) return shown;
  Json more = Json::array();
  for (size_t i = 1; i < findings.size(); ++i) more.push_back(short_json(findings[i]));
  shown.detail[kMore] = std::move(more);
  return shown;
}

std::vector<Finding> unfolded(Finding finding) {
  std::vector<Finding> all;
  Json more = Json::array();
  if (folded_into(finding) > 0) {
    more = std::move(finding.detail[kMore]);
    finding.detail.erase(kMore);
  }
  all.push_back(std::move(finding));
  for (const Json& one : more) {
    Finding other = from_short(one, all.front());
    all.push_back(std::move(other));
  }
  return all;
}

size_t folded_into(const Finding& finding) {
  const auto more = finding.detail.find(kMore);
  return more != finding.detail.end() && more->is_array() ? more->size() : 0;
}

void forget_folded(Finding& finding) {
  if (finding.detail.is_object()) finding.detail.erase(kMore);
}

}  // namespace foretrace
