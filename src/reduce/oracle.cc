#include "reduce/oracle.h"

#include <algorithm>

#include "base/interrupt.h"
#include "certify/certifier.h"

namespace foretrace {

std::vector<Candidate> FindingOracle::candidates(const Trace& trace) const {
  std::vector<Candidate> proposed;
  const std::unique_ptr<Analysis> analysis =
      analysis_.create({*trace.symbols, settings_,
                        [&](Candidate candidate) { proposed.push_back(std::move(candidate)); }});
  analysis->process(trace.batch());
  analysis->finish();
  return proposed;
}

std::vector<Finding> FindingOracle::decided(const Trace& trace,
                                            std::vector<Candidate> candidates) const {
  // One worker for a small trace: starting threads would take longer than the work.
  constexpr size_t kSmall = 10'000;
  const unsigned workers = trace.events.size() < kSmall ? 1 : 0;
  if (!candidates.empty()) {
    decide(trace, candidates, {budget_, workers, [](size_t, size_t) { return !interrupted(); }});
  }
  return make_findings(std::move(candidates), *trace.symbols);
}

std::vector<Finding> FindingOracle::find(const Trace& trace, const std::string& common_id) const {
  std::vector<Candidate> all = candidates(trace);
  std::erase_if(all, [&](const Candidate& candidate) {
    return foretrace::common_id(make_finding(candidate, *trace.symbols)) != common_id;
  });
  return decided(trace, std::move(all));
}

std::vector<Finding> FindingOracle::find_all(const Trace& trace) const {
  return decided(trace, candidates(trace));
}

bool FindingOracle::has(const Trace& trace, const Finding& wanted) const {
  const auto seen_by_hb = [](const Finding& finding) {
    return finding.detail.value("hb", nlohmann::ordered_json());
  };
  const std::vector<Finding> findings = find(trace, common_id(wanted));
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.strength == wanted.strength && seen_by_hb(finding) == seen_by_hb(wanted);
  });
}

}  // namespace foretrace
