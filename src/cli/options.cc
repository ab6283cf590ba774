#include "cli/options.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

std::string check_count(std::string& text) {
  const Result<uint64_t> count = parse_count(text);
  if (!count) return count.error().message;
  text = std::to_string(*count);
  return {};
}

std::string check_share(const std::string& text) {
  double share = -1;
  if (CLI::detail::lexical_cast(text, share) && share >= 0 && share <= 1) return {};
  return fmt::format("'{}' is not a share: write a number from 0 to 1, such as 0.9",
                     printable(text));
}

std::string check_choice(const std::string& text, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
  return fmt::format("'{}' is not {}{}", printable(text), enumerated(choices, "or"),
                     did_you_mean(text, choices));
}

}  // namespace

CLI::Option* add_count(CLI::App& app, const std::string& name, uint64_t& target,
                       const std::string& description) {
  return app.add_option(name, target, description)
      ->type_name("N")
      ->capture_default_str()
      ->transform(CLI::Validator(check_count, ""));
}

CLI::Option* add_share(CLI::App& app, const std::string& name, double& target,
                       const std::string& description) {
  return app.add_option(name, target, description)
      ->type_name("SHARE")
      ->capture_default_str()
      ->check(check_share);
}

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& target,
                        std::vector<std::string> choices, const std::string& description) {
  std::string type;
  for (const std::string& choice : choices) type += (type.empty() ? "" : "|") + choice;
  const auto check = [choices = std::move(choices)](const std::string& text) {
    return check_choice(text, choices);
  };
  return app.add_option(name, target, description)
      ->type_name(type)
      ->capture_default_str()
      ->check(check);
}

std::string enumerated(const std::vector<std::string>& words, std::string_view last) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? fmt::format(" {} ", last) : ", ";
    list += words[i];
  }
  return list;
}

}  // namespace foretrace
