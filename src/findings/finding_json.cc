#include "findings/finding_json.h"

#include "base/input.h"
#include "base/text.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json event_json(const FindingEvent& event) {
  Json json = {{"index", event.index == kNoIndex ? Json(nullptr) : Json(event.index)},
               {"thread", event.thread},
               {"op", std::string(name_of(event.op))},
               {"object", event.object},
               {"site", or_null(event.site)}};
  if (!event.function.empty()) json["function"] = event.function;
  if (!event.role.empty()) json["role"] = event.role;
  if (!event.thread_start.empty()) json["started"] = event.thread_start;
  for (const FindingCall& call : event.calls) {
    json["calls"].push_back({{"site", or_null(call.site)}, {"function", call.function}});
  }
  if (!event.held_known) {
    json["held"] = nullptr;
  } else if (!event.held.empty()) {
    Json held = Json::array();
    for (const FindingLock& lock : event.held) {
      held.push_back({{"lock", lock.name}, {"shared", lock.shared}});
    }
    json["held"] = std::move(held);
  }
  return json;
}

// The string under `key`; empty if it is not there or null.
std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::string> optional_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

// The list under `key`; empty if it is not there.
const Json& list_of(const Json& json, const char* key) {
  static const Json kNone = Json::array();
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? *found : kNone;
}

Result<FindingEvent> event_from_json(const Json& json) {
  if (!json.is_object() || !json.contains("index") ||
      !(json["index"].is_number_unsigned() || json["index"].is_null())) {
    return fail("an event has no index");
  }
  FindingEvent event;
  event.index = json["index"].is_null() ? kNoIndex : json["index"].get<uint64_t>();
  const std::string op = text_of(json, "op");
  const std::optional<Op> known = op_named(op);
  if (!known) return fail("'{}' is not an operation", printable(op));
  event.op = *known;
  event.thread = text_of(json, "thread");
  event.object = text_of(json, "object");
  event.site = text_of(json, "site");
  event.function = text_of(json, "function");
  event.role = text_of(json, "role");
  event.thread_start = text_of(json, "started");
  for (const Json& call : list_of(json, "calls")) {
    if (call.is_object()) event.calls.push_back({text_of(call, "site"), text_of(call, "function")});
  }
  event.held_known = !json.contains("held") || !json["held"].is_null();
  for (const Json& held : list_of(json, "held")) {
    if (!held.is_object()) return fail("a lock that is held is no object");
    const auto shared = held.find("shared");
    event.held.push_back({text_of(held, "lock"), shared != held.end() && *shared == true});
  }
  return event;
}

}  // namespace

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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

Result<Finding> finding_from_json(const Json& json) {
  if (!json.is_object()) return fail("a finding is no object");
  Finding finding;
  finding.id = text_of(json, "id");
  if (finding.id.empty()) return fail("a finding has no id");
  const auto bad = [&](std::string_view what) {
    return fail("finding {}: {}", printable(finding.id), what);
  };
  const std::optional<Strength> strength = strength_named(text_of(json, "strength"));
  if (!strength) return bad("its strength is not predicted, certified or observed");
  finding.strength = *strength;
  finding.analysis = text_of(json, "analysis");
  finding.kind = text_of(json, "kind");
  if (finding.analysis.empty() || finding.kind.empty()) return bad("it has no analysis or kind");
  finding.message = text_of(json, "message");
  finding.reason = text_of(json, "reason");
  finding.variable = optional_text(json, "variable");
  finding.lock = optional_text(json, "lock");
  for (const Json& label : list_of(json, "labels")) {
    if (!label.is_string()) return bad("a label is no text");
    finding.labels.push_back(label.get<std::string>());
  }
  for (const Json& event : list_of(json, "events")) {
    Result<FindingEvent> read = event_from_json(event);
    if (!read) return bad(read.error().message);
    finding.events.push_back(std::move(*read));
  }
  if (const auto witness = json.find("witness"); witness != json.end() && witness->is_array()) {
    finding.witness.emplace();
    for (const Json& index : *witness) {
      if (!index.is_number_unsigned()) return bad("its witness is no list of indexes");
      finding.witness->push_back(index.get<uint64_t>());
    }
  }
  finding.detail = json.value("detail", Json::object());
  if (!finding.detail.is_object()) return bad("its detail is no object");
  return finding;
}

Result<Json> read_report_json(const std::string& path, std::string_view what) {
  const Result<std::string> content = read_input(path);
  if (!content) return tl::unexpected(content.error());
  Json report = Json::parse(*content, nullptr, /*allow_exceptions=*/false);
  const auto bad = [&](std::string_view wrong) {
    return fail("{}: {}; {} is what --format json wrote", path, wrong, what);
  };
  if (report.is_discarded()) return bad("this is not JSON");
  if (!report.is_object() || report.value("schema", Json()) != "foretrace/findings/1") {
    return bad("this is not a report of Foretrace (schema foretrace/findings/1)");
  }
  const auto findings = report.find("findings");
  if (findings == report.end() || !findings->is_array()) return bad("it has no list of findings");
  for (const Json& finding : *findings) {
    const auto id = finding.is_object() ? finding.find("id") : finding.end();
    if (!finding.is_object() || id == finding.end() || !id->is_string()) {
      return bad("a finding in it has no id");
    }
  }
  return report;
}

}  // namespace foretrace
