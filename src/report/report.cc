#include "report/report.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

std::vector<Reporter>& registry() {
  static std::vector<Reporter> reporters;
  return reporters;
}

}  // namespace

ReporterRegistration::ReporterRegistration(const Reporter& reporter) {
  std::vector<Reporter>& all = registry();
  const auto place = std::find_if(all.begin(), all.end(),
                                  [&](const Reporter& r) { return r.name > reporter.name; });
  all.insert(place, reporter);
}

const std::vector<Reporter>& reporters() { return registry(); }

Result<const Reporter*> reporter_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Reporter& reporter : reporters()) {
    if (reporter.name == name) return &reporter;
    names.emplace_back(reporter.name);
  }
  return fail("'{}' is not a report format ({}){}", printable(name), fmt::join(names, ", "),
              did_you_mean(name, names));
}

}  // namespace foretrace
