#include "lint/configuration.h"

#include "base/input.h"
#include "base/text.h"

namespace foretrace::lint {
namespace {

Result<Confidence> confidence_named(const std::string& name) {
  for (const Confidence one : {Confidence::low, Confidence::normal, Confidence::high}) {
    if (name == name_of(one)) return one;
  }
  return fail("--confidence is low, normal or high, not '{}'", printable(name));
}

}  // namespace

Result<Configuration> read_configuration(const LintOptions& options) {
  Configuration configuration;
  const Result<Confidence> confidence = confidence_named(options.confidence);
  if (!confidence) return tl::unexpected(confidence.error());
  configuration.confidence = *confidence;
  for (const std::string& pattern : options.patterns) {
    const Result<void> done = configuration.patterns.add(pattern);
    if (!done) return tl::unexpected(done.error());
  }
  if (!options.models.empty()) {
    const Result<std::string> text = read_input(options.models);
    if (!text) return tl::unexpected(text.error());
    const Result<void> done = configuration.models.add(*text, options.models);
    if (!done) return tl::unexpected(done.error());
  }
  return configuration;
}

}  // namespace foretrace::lint
