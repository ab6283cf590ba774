// A finding as JSON, as in schema foretrace/findings/1, and back.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "findings/finding.h"

namespace foretrace {

nlohmann::ordered_json finding_json(const Finding& finding);

// Reads what finding_json() wrote. An error says what is missing or wrong.
Result<Finding> finding_from_json(const nlohmann::ordered_json& json);

// One line. Names come from files of any encoding; what is not UTF-8 is replaced.
std::string dumped(const nlohmann::ordered_json& json);

// The report in a JSON file (or standard input), whose schema and list of
// findings were checked; `what` names it in errors: "a baseline".
Result<nlohmann::ordered_json> read_report_json(const std::string& path, std::string_view what);

}  // namespace foretrace
