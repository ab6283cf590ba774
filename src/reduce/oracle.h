// Whether a trace has a given finding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/analysis.h"
#include "findings/finding.h"
#include "trace/stream.h"

namespace foretrace {

class FindingOracle {
 public:
  // `settings` must outlive this. `budget` is that of certify().
  FindingOracle(const AnalysisInfo& analysis, const AnalysisSettings& settings, uint64_t budget)
      : analysis_(analysis), settings_(settings), budget_(budget) {}

  // The findings of the analysis that share this common id, decided.
  std::vector<Finding> find(const Trace& trace, const std::string& common_id) const;
  // Whether one of the findings is the same: the common id, the strength, and
  // whether `hb` finds it, too, where the analysis says that.
  bool has(const Trace& trace, const Finding& wanted) const;
  // All findings of the analysis.
  std::vector<Finding> find_all(const Trace& trace) const;

 private:
  std::vector<Candidate> candidates(const Trace& trace) const;
  std::vector<Finding> decided(const Trace& trace, std::vector<Candidate> candidates) const;

  const AnalysisInfo& analysis_;
  const AnalysisSettings& settings_;
  const uint64_t budget_;
};

}  // namespace foretrace
