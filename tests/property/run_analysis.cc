#include "property/run_analysis.h"

#include <algorithm>

namespace foretrace::testing {

std::vector<Candidate> run_analysis(std::string_view name, const Trace& trace, size_t batch_size,
                                    const std::vector<std::string>& flags,
                                    std::vector<std::string>* notes) {
  AnalysisSettings settings;
  for (const std::string& flag : flags) {
    const size_t sign = flag.find('=');
    settings.set(flag.substr(0, sign), sign == std::string::npos ? "" : flag.substr(sign + 1));
  }
  std::vector<Candidate> proposed;
  const auto analysis = analysis_named(name).value()->create(
      {*trace.symbols, settings, [&](Candidate c) { proposed.push_back(std::move(c)); }});
  const EventBatch whole = trace.batch();
  if (batch_size == 0) batch_size = whole.events.size();
  for (size_t start = 0; start < whole.events.size(); start += batch_size) {
    const size_t count = std::min(batch_size, whole.events.size() - start);
    analysis->process({start, whole.events.subspan(start, count), whole.big_values});
  }
  analysis->finish();
  if (notes != nullptr) *notes = analysis->notes();
  return proposed;
}

}  // namespace foretrace::testing
