#include "cli/help.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kNameWidth = 26;  // with the two blanks before it

// `text` in lines of at most `width` columns, the first of which follows what
// is on the line already; the others are indented.
std::string wrapped(std::string_view text, size_t indent, size_t width) {
  std::string out;
  size_t column = indent;
  for (const std::string_view word : words_of(text)) {
    const size_t size = display_width(word);
    if (column > indent && column + 1 + size > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += size;
  }
  return out;
}

std::string row(const std::string& name, const std::string& description) {
  std::string line = "  " + padded(name, kNameWidth - 2);
  if (display_width(name) + 3 > kNameWidth) line += '\n' + std::string(kNameWidth, ' ');
  return line + wrapped(description, kNameWidth, kWidth) + '\n';
}

std::string names_and_value(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) names += "--" + name + ", ";
  names.resize(names.size() - 2);
  if (takes_value(option)) names += " " + option.get_type_name();
  return names;
}

std::string described(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty()) text += " [" + option.get_default_str() + "]";
  return text;
}

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return description(*app) + usage(*app) + arguments(*app) + options(*app) + commands(*app) +
           footer(*app);
  }

 private:
  static std::string description(const CLI::App& app) {
    std::string text = wrapped(app.get_description(), 0, kWidth) + ".\n\n";
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }

  static std::string usage(const CLI::App& app) {
    std::string line = "Usage: " + full_name(app);
    if (!subcommands(app).empty()) return line + " COMMAND [OPTIONS]\n";
    for (const CLI::Option* option : positionals(app)) {
      const std::string name = option->get_name(true);
      line += option->get_required() ? " " + name : " [" + name + "]";
    }
    return line + " [OPTIONS]\n";
  }

  static std::string arguments(const CLI::App& app) {
    std::string rows;
    for (const CLI::Option* option : positionals(app)) {
      rows += row(option->get_name(true), described(*option));
    }
    return rows.empty() ? rows : "\nArguments:\n" + rows;
  }

  static std::string options(const CLI::App& app) {
    std::string rows;
    for (const CLI::Option* option : app.get_options()) {
      if (option->nonpositional() && !option->get_group().empty()) {
        rows += row(names_and_value(*option), described(*option));
      }
    }
    return rows.empty() ? rows : "\nOptions:\n" + rows;
  }

  static std::string commands(const CLI::App& app) {
    std::string rows;
    for (const CLI::App* command : subcommands(app)) {
      rows += row(command->get_name(), command->get_description());
    }
    return rows.empty() ? rows : "\nCommands:\n" + rows;
  }

  static std::string footer(const CLI::App& app) {
    const std::string text = app.get_footer();
    return text.empty() ? text : "\n" + text + "\n";
  }

  static std::vector<const CLI::Option*> positionals(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  }
  static std::vector<const CLI::App*> subcommands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

std::string option_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  return option.get_name(true);
}

std::string full_name(const CLI::App& app) {
  return (app.get_parent() == nullptr ? "" : full_name(*app.get_parent()) + " ") + app.get_name();
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

}  // namespace foretrace
