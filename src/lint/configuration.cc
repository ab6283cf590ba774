#include "lint/configuration.h"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/input.h"
#include "base/text.h"

namespace foretrace::lint {
namespace {

std::string place_of(const std::string& name, const toml::node& node) {
  return fmt::format("{}:{}", name, node.source().begin.line);
}

Result<void> add_pattern(Configuration& configuration, std::string_view rule,
                         const toml::node& node, const std::string& place) {
  const auto* const text = node.as_string();
  if (text == nullptr) return fail("{}: a pattern is a text", place);
  const Result<void> done = configuration.patterns.add(fmt::format("{} = {}", rule, text->get()));
  if (!done) return fail("{}: {}", place, done.error().message);
  return {};
}

Result<void> add_patterns(Configuration& configuration, const toml::table& table,
                          const std::string& name) {
  for (const auto& [key, node] : table) {
    if (const toml::array* const list = node.as_array()) {
      for (const toml::node& element : *list) {
        Result<void> done = add_pattern(configuration, key.str(), element, place_of(name, element));
        if (!done) return done;
      }
      continue;
    }
    Result<void> done = add_pattern(configuration, key.str(), node, place_of(name, node));
    if (!done) return done;
  }
  return {};
}

Result<void> set_confidence(Configuration& configuration, const toml::node& node,
                            const std::string& place) {
  const auto* const text = node.as_string();
  for (const Confidence one : {Confidence::low, Confidence::normal, Confidence::high}) {
    if (text != nullptr && text->get() == name_of(one)) {
      configuration.confidence = one;
      return {};
    }
  }
  return fail("{}: confidence is \"low\", \"normal\" or \"high\"", place);
}

}  // namespace

Result<void> add_configuration(Configuration& configuration, std::string_view text,
                               const std::string& name) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return fail("{}:{}: {}", name, parsed.error().source().begin.line,
                std::string(parsed.error().description()));
  }
  const std::vector<std::string> known = {"patterns", "confidence"};
  for (const auto& [key, node] : parsed.table()) {
    const std::string place = place_of(name, node);
    Result<void> done;
    if (key.str() == "patterns" && node.is_table()) {
      done = add_patterns(configuration, *node.as_table(), name);
    } else if (key.str() == "confidence") {
      done = set_confidence(configuration, node, place);
    } else {
      done = fail("{}: '{}' is not known here; there are [patterns] and confidence{}", place,
                  printable(key.str()), did_you_mean(key.str(), known));
    }
    if (!done) return done;
  }
  return {};
}

Result<Configuration> read_configuration(const LintOptions& options) {
  Configuration configuration;
  if (!options.config.empty()) {
    const Result<std::string> text = read_input(options.config);
    if (!text) return tl::unexpected(text.error());
    const Result<void> done = add_configuration(configuration, *text, options.config);
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
