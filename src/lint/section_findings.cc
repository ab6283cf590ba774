// --sections: no findings, but a file for the runtime.
#include "base/output.h"
#include "lint/analysis.h"
#include "lint/configuration.h"
#include "lint/sections.h"

namespace foretrace::lint {
namespace {

Result<std::vector<LintRule>> rules(const LintOptions&) { return std::vector<LintRule>(); }

Result<std::vector<LintFinding>> run(const Program& program, const LintOptions& options) {
  std::vector<LintFinding> none;
  if (options.sections.empty()) return none;
  const Result<Configuration> configuration = read_configuration(options);
  if (!configuration) return tl::unexpected(configuration.error());
  const std::string text = to_text(find_sections(program, configuration->models));
  const Result<std::unique_ptr<ByteSink>> file = open_output(options.sections);
  if (!file) return tl::unexpected(file.error());
  (*file)->write(text);
  if (const Result<void> done = (*file)->close(); !done) return tl::unexpected(done.error());
  return none;
}

const LintRegistration registration({"sections", "sections that should be atomic, for the runtime",
                                     rules, run});

}  // namespace
}  // namespace foretrace::lint
