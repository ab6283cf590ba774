#include "cli/given_options.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/text.h"
#include "cli/help.h"

namespace foretrace {
namespace {

constexpr const char* kVariable = "FORETRACE_OPTIONS";
constexpr const char* kFile = "foretrace.toml";
constexpr const char* kCommands[] = {"run", "record", "lint"};

// An option's values and the place that they come from, for complaints.
struct Given {
  std::vector<std::string> values;
  std::string place;
};
using GivenOptions = std::map<std::string, Given>;  // by name, without dashes

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help") names.push_back(name);
    }
  }
  return names;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

// ---- FORETRACE_OPTIONS

// Words as on the command line; a value is in the same word or the next.
Result<GivenOptions> read_variable(const CLI::App& app) {
  GivenOptions given;
  const char* const text = std::getenv(kVariable);
  const std::vector<std::string_view> words = words_of(text != nullptr ? text : "");
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const size_t equals = word.find('=');
    const std::string name(word.substr(0, equals));
    const CLI::Option* const option =
        name.starts_with('-') ? app.get_option_no_throw(name) : nullptr;
    if (option == nullptr || option->get_lnames().empty()) {
      std::vector<std::string> known;
      for (const std::string& known_name : option_names(app)) known.push_back("--" + known_name);
      return fail("{}: {} has no option '{}'{}", kVariable, app.get_name(), printable(name),
                  did_you_mean(name, known));
    }
    Given& target = given[option->get_lnames().front()];
    target.place = kVariable;
    if (equals != std::string_view::npos) {
      target.values = {std::string(word.substr(equals + 1))};
    } else if (is_flag(*option)) {
      target.values = {"true"};
    } else if (i + 1 < words.size()) {
      target.values = {std::string(words[++i])};
    } else {
      return fail("{}: {} needs a value", kVariable, name);
    }
  }
  return given;
}

// ---- foretrace.toml

std::optional<std::filesystem::path> nearest_file() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::current_path(error);
  for (; !error; folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / kFile, error)) return folder / kFile;
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

std::string place_in(const std::string& path, const toml::node& node) {
  return fmt::format("{}:{}", path, node.source().begin.line);
}

Result<std::string> value_text(const toml::node& node, const std::string& place) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return std::string(truth->get() ? "true" : "false");
  return fail("{}: a value is a text, a number, true or false, or a list of these", place);
}

Result<Given> values_of(const toml::node& node, const std::string& place) {
  Given given{{}, place};
  const auto add = [&](const toml::node& element) -> Result<void> {
    Result<std::string> text = value_text(element, place);
    if (!text) return tl::unexpected(text.error());
    given.values.push_back(std::move(*text));
    return {};
  };
  if (const toml::array* const list = node.as_array()) {
    for (const toml::node& element : *list) {
      if (Result<void> done = add(element); !done) return tl::unexpected(done.error());
    }
  } else if (Result<void> done = add(node); !done) {
    return tl::unexpected(done.error());
  }
  return given;
}

Result<GivenOptions> read_table(const toml::table& table, const std::string& path,
                                const CLI::App& app) {
  GivenOptions given;
  const std::vector<std::string> known = option_names(app);
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string place = place_in(path, node);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return fail("{}: {} has no option '{}'{}", place, app.get_name(), printable(name),
                  did_you_mean(name, known));
    }
    Result<Given> values = values_of(node, place);
    if (!values) return tl::unexpected(values.error());
    given[name] = std::move(*values);
  }
  return given;
}

Result<GivenOptions> read_file(const CLI::App& app) {
  const std::optional<std::filesystem::path> path = nearest_file();
  if (!path) return GivenOptions();
  const toml::parse_result parsed = toml::parse_file(path->string());
  if (!parsed) {
    return fail("{}:{}: {}", path->string(), parsed.error().source().begin.line,
                std::string(parsed.error().description()));
  }
  const toml::table* chosen = nullptr;
  for (const auto& [key, node] : parsed.table()) {
    const std::string name(key.str());
    const std::vector<std::string> known(std::begin(kCommands), std::end(kCommands));
    if (std::find(known.begin(), known.end(), name) == known.end() || !node.is_table()) {
      return fail("{}: '{}' is no table of a command; write [run], [record] or [lint]{}",
                  place_in(path->string(), node), printable(name), did_you_mean(name, known));
    }
    if (name == app.get_name()) chosen = node.as_table();
  }
  return chosen != nullptr ? read_table(*chosen, path->string(), app) : GivenOptions();
}

// ---- both

Result<void> set(CLI::Option& option, const Given& given) {
  if (is_flag(option)) {
    const bool truth = given.values.size() == 1 &&
                       (given.values.front() == "true" || given.values.front() == "false");
    if (!truth) return fail("{}: {} is true or false", given.place, option_name(option));
    if (given.values.front() == "false") return {};
  }
  try {
    for (const std::string& value : given.values) option.add_result(value);
    option.run_callback();
  } catch (const CLI::ParseError& error) {
    return fail("{}: {}", given.place, error.what());
  }
  return {};
}

Result<void> set_all(CLI::App& app, const Result<GivenOptions>& given) {
  if (!given) return tl::unexpected(given.error());
  for (const auto& [name, values] : *given) {
    CLI::Option* const option = app.get_option("--" + name);
    if (option->count() > 0) continue;
    if (Result<void> done = set(*option, values); !done) return done;
  }
  return {};
}

}  // namespace

Result<void> apply_given_options(CLI::App& app) {
  if (Result<void> done = set_all(app, read_variable(app)); !done) return done;
  return apply_file_options(app);
}

Result<void> apply_file_options(CLI::App& app) { return set_all(app, read_file(app)); }

}  // namespace foretrace
