// Findings that were predicted, and which of them have been observed.
#pragma once

#include <string>
#include <vector>

#include "findings/finding.h"

namespace foretrace {

// Whether two texts are the same place of the source: file (one may be longer),
// line, and the column where both have one.
bool same_place(const std::string& a, const std::string& b);
// The same without columns.
bool same_line(const std::string& a, const std::string& b);

// Whether what was observed is what was predicted: the kind, and the places of the
// events, in any order.
bool is_same_error(const Finding& predicted, const Finding& observed);

class KnownFindings {
 public:
  KnownFindings() = default;
  explicit KnownFindings(std::vector<Finding> findings);

  const std::vector<Finding>& all() const { return findings_; }
  // The ids of those that this is, observed from now on.
  std::vector<std::string> note(const Finding& observed);
  size_t observed_count() const;
  bool all_observed() const { return !findings_.empty() && observed_count() == findings_.size(); }
  bool is_observed(size_t i) const { return observed_[i]; }

 private:
  std::vector<Finding> findings_;
  std::vector<bool> observed_;
};

// Those in a JSON report that a run can show: races and deadlocks.
Result<KnownFindings> read_known_findings(const std::string& path);

}  // namespace foretrace
