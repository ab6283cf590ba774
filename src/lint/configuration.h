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

Result<Configuration> read_configuration(const LintOptions& options);

}  // namespace foretrace::lint
