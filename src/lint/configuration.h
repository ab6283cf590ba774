// What users configure for the analyses of lint, apart from the rules' names.
#pragma once

#include "base/error.h"
#include "lint/analysis.h"
#include "lint/anomalies.h"
#include "lint/models.h"
#include "lint/patterns.h"

namespace foretrace::lint {

struct Configuration {
  PatternRules patterns;
  Models models;
  Confidence confidence = Confidence::normal;  // findings below it are left out
};

// From the file --config, in TOML:
//
//   confidence = "low"
//   [patterns]
//   lost-update = "R(a) [w(a)] W(a)"
//   RwR = ["R(a) [w(a)] R(a) : flow", "R(a) [w(a) w(b)] R(b)"]
//
// and the file --models.
Result<Configuration> read_configuration(const LintOptions& options);

// The same from the text of a configuration file; `name` is for complaints.
Result<void> add_configuration(Configuration& configuration, std::string_view text,
                               const std::string& name);

}  // namespace foretrace::lint
