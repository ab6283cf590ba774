// foretrace analyses: what analyze can look for.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analyses/analysis.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"

namespace foretrace {
namespace {

void print_text() {
  size_t width = 0;
  for (const AnalysisInfo& analysis : analyses()) width = std::max(width, analysis.name.size());
  for (const AnalysisInfo& analysis : analyses()) {
    fmt::print("{}  {}\n", padded(analysis.name, width), analysis.summary);
  }
}

void print_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const AnalysisInfo& analysis : analyses()) {
    list.push_back({{"name", analysis.name}, {"summary", analysis.summary}});
  }
  const nlohmann::ordered_json document = {{"schema", "foretrace/analyses/1"}, {"analyses", list}};
  fmt::print("{}\n", document.dump(2));
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto format = std::make_shared<std::string>("text");
  add_choice(app, "--format", *format, {"text", "json"}, "How to print the list");
  return [format]() -> Result<int> {
    *format == "json" ? print_json() : print_text();
    return kExitClean;
  };
}

const CommandRegistration registration({
    .name = "analyses",
    .summary = "list the analyses that analyze can run",
    .examples = "  foretrace analyses\n"
                "  foretrace analyses --format json",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
