#include "cli/completion_scripts.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyses/analysis.h"
#include "base/text.h"
#include "cli/help.h"
#include "trace/format.h"

namespace foretrace {
namespace {

bool has_name(const CLI::Option& option, std::string_view name) {
  const std::vector<std::string>& names = option.get_lnames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The words that an option's value can be: an option of add_choice() has them
// in its type name, and some options name things that are registered.
std::vector<std::string> values_of(const CLI::Option& option) {
  std::vector<std::string> values;
  const std::string type = option.get_type_name();
  if (has_name(option, "analysis")) {
    for (const AnalysisInfo& analysis : analyses()) values.emplace_back(analysis.name);
  } else if (has_name(option, "input-format") || has_name(option, "output-format")) {
    for (const Format& format : formats()) values.emplace_back(format.name);
  } else if (type.find('|') != std::string::npos) {
    for (const std::string_view word : split(type, '|')) values.emplace_back(word);
  }
  return values;
}

CompletedOption describe(const CLI::Option& option) {
  CompletedOption described;
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  described.description = option.get_description();
  described.takes_value = takes_value(option);
  described.list = has_name(option, "analysis");
  described.values = values_of(option);
  described.file =
      described.values.empty() && (option.get_positional() || option.get_type_name() == "FILE");
  return described;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

CompletedCommand describe(const CLI::App& app, const std::string& name) {
  CompletedCommand command;
  command.name = name;
  for (const CLI::App* own : commands_of(app)) command.commands.push_back(own->get_name());
  command.summary = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? command.arguments : command.options).push_back(describe(*option));
  }
  return command;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

// ---- bash

constexpr std::string_view kBashStart =
    R"(# Completes foretrace's command line in bash. Made by: foretrace completion bash

_foretrace_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_foretrace_list() {
  local before=
  [[ $cur == *,* ]] && before=${cur%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
  compopt -o nospace 2> /dev/null
}
_foretrace_files() {
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  compopt -o filenames 2> /dev/null
}

_foretrace() {
  local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command= i
  COMPREPLY=()
  # --option=value comes as three words
  if [[ $cur == = ]]; then
    cur=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

// Which command it is: two words where the first names a group.
constexpr std::string_view kBashWords = R"(  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] && continue
    command+=${command:+ }${COMP_WORDS[i]}
    [[ " $groups " == *" $command "* ]] || break
  done
)";

constexpr std::string_view kBashEnd = R"(}
complete -F _foretrace foretrace
)";

std::string bash_values(const CompletedOption& option) {
  if (!option.values.empty()) {
    return fmt::format("_foretrace_{} '{}'", option.list ? "list" : "words", joined(option.values));
  }
  return option.file ? "_foretrace_files" : ":";
}

std::string bash_option_cases(const CompletedCommand& command) {
  std::string cases;
  for (const CompletedOption& option : command.options) {
    if (!option.takes_value) continue;
    std::string patterns;
    for (const std::string& name : option.names) {
      patterns += fmt::format("{}'{}':{}", patterns.empty() ? "" : "|", command.name, name);
    }
    cases += fmt::format("    {}) {}; return ;;\n", patterns, bash_values(option));
  }
  return cases;
}

std::string bash_command_case(const CompletedCommand& command) {
  std::vector<std::string> words;
  for (const CompletedOption& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  std::string otherwise = ":";
  if (!command.commands.empty()) {
    otherwise = fmt::format("_foretrace_words '{}'", joined(command.commands));
  } else if (!command.arguments.empty()) {
    // Which argument it is does not matter: a command's are of one kind.
    otherwise = bash_values(command.arguments.front());
  }
  return fmt::format("    '{}') if [[ $cur == -* ]]; then _foretrace_words '{}'; else {}; fi ;;\n",
                     command.name, joined(words), otherwise);
}

// ---- zsh

constexpr std::string_view kZshStart = R"(#compdef foretrace
# Completes foretrace's command line in zsh. Made by: foretrace completion zsh

)";

constexpr std::string_view kZshEnd = R"(if [[ $funcstack[1] == _foretrace ]]; then
  _foretrace "$@"
else
  compdef _foretrace foretrace
fi
)";

// `text` inside single quotes, with a backslash before each of `special`.
std::string zsh_escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const CompletedOption& option) {
  if (option.list) return "_values -s , word " + joined(option.values);
  if (!option.values.empty()) return "(" + joined(option.values) + ")";
  return option.file ? "_files" : " ";
}

std::string zsh_option(const CompletedOption& option) {
  const std::string what = fmt::format("[{}]", zsh_escaped(option.description, "[]\\"));
  const std::string value =
      option.takes_value ? fmt::format(":value:{}", zsh_action(option)) : std::string();
  if (option.names.size() == 1) return fmt::format("'{}{}{}'", option.names[0], what, value);
  return fmt::format("'({})'{{{}}}'{}{}'", joined(option.names), joined(option.names, ","), what,
                     value);
}

std::string zsh_function_name(const CompletedCommand& group) {
  return group.name.empty() ? "_foretrace" : "_foretrace_" + group.name;
}

std::string zsh_command_case(const CompletedCommand& command, const std::string& word) {
  if (!command.commands.empty()) {
    return fmt::format("    {})\n      {}\n      ;;\n", word, zsh_function_name(command));
  }
  std::string specs;
  for (const CompletedOption& option : command.options) {
    specs += " \\\n        " + zsh_option(option);
  }
  for (const CompletedOption& argument : command.arguments) {
    specs += fmt::format(" \\\n        ':{}:{}'", zsh_escaped(argument.description, ":\\"),
                         zsh_action(argument));
  }
  return fmt::format("    {})\n      _arguments{}\n      ;;\n", word, specs);
}

// A function that completes the commands of the program or of a group.
std::string zsh_function(const CompletedCommand& group,
                         const std::vector<CompletedCommand>& commands) {
  std::string list;
  std::string cases;
  for (const std::string& word : group.commands) {
    const std::string name = group.name.empty() ? word : group.name + " " + word;
    const auto command = std::find_if(commands.begin(), commands.end(),
                                      [&](const CompletedCommand& c) { return c.name == name; });
    list += fmt::format("    '{}:{}'\n", word, zsh_escaped(command->summary, "\\"));
    cases += zsh_command_case(*command, word);
  }
  std::string own;
  for (const CompletedOption& option : group.options) own += " " + zsh_option(option);
  return fmt::format(
      "{}() {{\n  local -a commands\n  commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    if [[ $words[2] == -* ]]; then\n      _arguments{}\n"
      "    else\n      _describe command commands\n    fi\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n"
      "  case $words[1] in\n{}  esac\n}}\n\n",
      zsh_function_name(group), list, own, cases);
}

}  // namespace

std::vector<CompletedCommand> describe_commands(const CLI::App& app) {
  std::vector<CompletedCommand> commands = {describe(app, "")};
  for (const CLI::App* command : commands_of(app)) {
    commands.push_back(describe(*command, command->get_name()));
    for (const CLI::App* own : commands_of(*command)) {
      commands.push_back(describe(*own, command->get_name() + " " + own->get_name()));
    }
  }
  return commands;
}

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> groups;
  std::string option_cases;
  std::string command_cases;
  for (const CompletedCommand& command : commands) {
    if (!command.name.empty() && !command.commands.empty()) groups.push_back(command.name);
    option_cases += bash_option_cases(command);
    command_cases += bash_command_case(command);
  }
  return fmt::format(
      "{}  local groups='{}'\n{}  case $command:$option in\n{}  esac\n  case $command in\n{}  "
      "esac\n{}",
      kBashStart, joined(groups), kBashWords, option_cases, command_cases, kBashEnd);
}

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string functions;
  for (const CompletedCommand& command : commands) {
    if (!command.commands.empty()) functions += zsh_function(command, commands);
  }
  return fmt::format("{}{}{}", kZshStart, functions, kZshEnd);
}

}  // namespace foretrace
