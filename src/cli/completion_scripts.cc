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

CompletedCommand describe(const CLI::App& app) {
  CompletedCommand command;
  if (app.get_parent() != nullptr) command.name = app.get_name();
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
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
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
      patterns += fmt::format("{}{}:{}", patterns.empty() ? "" : "|", command.name, name);
    }
    cases += fmt::format("    {}) {}; return ;;\n", patterns, bash_values(option));
  }
  return cases;
}

std::string bash_command_case(const CompletedCommand& command, const std::string& subcommands) {
  std::vector<std::string> words;
  for (const CompletedOption& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  std::string otherwise = ":";
  if (command.name.empty()) {
    otherwise = fmt::format("_foretrace_words '{}'", subcommands);
  } else if (!command.arguments.empty()) {
    // Which argument it is does not matter: a command's are of one kind.
    otherwise = bash_values(command.arguments.front());
  }
  return fmt::format("    {}) if [[ $cur == -* ]]; then _foretrace_words '{}'; else {}; fi ;;\n",
                     command.name.empty() ? "''" : command.name, joined(words), otherwise);
}

// ---- zsh

constexpr std::string_view kZshStart = R"(#compdef foretrace
# Completes foretrace's command line in zsh. Made by: foretrace completion zsh

_foretrace() {
  local -a commands
)";

constexpr std::string_view kZshEnd = R"(  esac
}

if [[ $funcstack[1] == _foretrace ]]; then
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

std::string zsh_command_case(const CompletedCommand& command) {
  std::string specs;
  for (const CompletedOption& option : command.options) {
    specs += " \\\n        " + zsh_option(option);
  }
  for (const CompletedOption& argument : command.arguments) {
    specs += fmt::format(" \\\n        ':{}:{}'", zsh_escaped(argument.description, ":\\"),
                         zsh_action(argument));
  }
  return fmt::format("    {})\n      _arguments{}\n      ;;\n", command.name, specs);
}

}  // namespace

std::vector<CompletedCommand> describe_commands(const CLI::App& app) {
  std::vector<CompletedCommand> commands = {describe(app)};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(describe(*command));
  }
  return commands;
}

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> names;
  std::string option_cases;
  for (const CompletedCommand& command : commands) {
    if (!command.name.empty()) names.push_back(command.name);
    option_cases += bash_option_cases(command);
  }
  std::string command_cases;
  for (const CompletedCommand& command : commands) {
    command_cases += bash_command_case(command, joined(names));
  }
  return fmt::format("{}  case $command:$option in\n{}  esac\n  case $command in\n{}  esac\n{}",
                     kBashStart, option_cases, command_cases, kBashEnd);
}

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string list;
  std::string cases;
  for (const CompletedCommand& command : commands) {
    if (command.name.empty()) continue;
    list += fmt::format("    '{}:{}'\n", command.name, zsh_escaped(command.summary, "\\"));
    cases += zsh_command_case(command);
  }
  std::string own;
  for (const CompletedOption& option : commands.front().options) own += " " + zsh_option(option);
  return fmt::format(
      "{}  commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    if [[ $words[2] == -* ]]; then\n      _arguments{}\n"
      "    else\n      _describe command commands\n    fi\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n"
      "  case $words[1] in\n{}{}",
      kZshStart, list, own, cases, kZshEnd);
}

}  // namespace foretrace
