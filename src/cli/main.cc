#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/error_excerpt.h"
#include "cli/help.h"

namespace foretrace {
namespace {

void complain(std::string_view sentence) { fmt::print(stderr, "foretrace: {}\n", sentence); }

// The command that was chosen, or the program itself when none was.
const CLI::App& chosen_app(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

std::string help_hint(const CLI::App& app) { return fmt::format("see {} --help", full_name(app)); }

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) names.push_back(option_name(*option));
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// What is wrong with the first word that the parser could not place.
std::string unexpected_word(const CLI::App& app, std::string_view word) {
  if (word.size() > 1 && word[0] == '-') {
    const std::string_view name = word.substr(0, word.find('='));
    const std::string hint = did_you_mean(name, option_names(app));
    return fmt::format("{} has no option '{}'{}", app.get_name(), printable(name),
                       hint.empty() ? "; " + help_hint(app) : hint);
  }
  if (const std::vector<std::string> names = command_names(app); !names.empty()) {
    const std::string hint = did_you_mean(word, names);
    return fmt::format("there is no command '{}{}'{}",
                       app.get_parent() == nullptr ? "" : app.get_name() + " ", printable(word),
                       hint.empty() ? "; " + help_hint(app) : hint);
  }
  return fmt::format("'{}' is one argument too many; {}", printable(word), help_hint(app));
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// The first required argument or option that is missing.
std::string missing_word(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_required() && option->count() == 0) {
      return fmt::format("{} needs {}; {}", app.get_name(), option_name(*option), help_hint(app));
    }
  }
  return one_line(error.what());
}

// CLI11's complaints, as sentences that name the remedy.
std::string sentence_for(const CLI::App& app, const CLI::ParseError& error) {
  // What is left to another program is as it should be.
  std::vector<std::string> unexpected;
  if (!app.get_prefix_command()) unexpected = app.remaining();
  std::erase(unexpected, "--");
  if (!unexpected.empty()) return unexpected_word(app, unexpected.front());
  if (error.get_name() == "RequiredError") return missing_word(app, error);
  std::string text = one_line(error.what());
  if (error.get_name() == "ArgumentMismatch") {
    for (const CLI::Option* option : app.get_options()) {
      const std::string name = option_name(*option);
      if (text.find(option->get_name()) == std::string::npos) continue;
      if (option->count() > 1) return fmt::format("{} is given more than once", name);
      if (takes_value(*option)) {
        return fmt::format("{} needs a value: {} {}", name, name, option->get_type_name());
      }
    }
  }
  return fmt::format("{}; {}", text, help_hint(app));
}

// CLI11 takes "--" as the end of a subcommand. For those that end in another
// program's words (run, record, c++, cc) it is what their own options end with,
// and not needed: parsing stops at the first word that is none of theirs.
void drop_end_of_options(const CLI::App& app, std::vector<std::string>& words) {
  const CLI::App* command = &app;
  size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::vector<const CLI::App*> named = command->get_subcommands(
        [&](const CLI::App* known) { return known->get_name() == words[i]; });
    if (named.empty()) break;
    command = named[0];
  }
  if (!command->get_prefix_command()) return;
  // Words in front of the program's that are no options: the id of a finding.
  size_t positionals =
      command->get_options([](const CLI::Option* option) { return !option->nonpositional(); })
          .size();
  for (; i < words.size(); ++i) {
    if (words[i] == "--") {
      words.erase(words.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
    if (!words[i].starts_with('-')) {
      if (positionals == 0) return;
      --positionals;
      continue;
    }
    // The command itself complains of an option that it does not know.
    const CLI::Option* const option = command->get_option_no_throw(words[i]);
    if (option != nullptr && takes_value(*option)) ++i;
  }
}

int finish_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  complain(fmt::format("cannot write standard output: {}", std::strerror(errno)));
  return kExitBadInput;
}

int run(std::vector<std::string> words) {
  std::function<Result<int>()> chosen;
  CLI::App app;
  build_command_line(app, chosen);
  // "foretrace help analyze" is what many try first.
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  drop_end_of_options(app, words);
  // Programs that read messages get one sentence; people see the line as well.
  const bool excerpts = (!words.empty() && words[0] == "tiddle") || ::isatty(STDERR_FILENO) == 1;
  std::reverse(words.begin(), words.end());  // the order in which CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", chosen_app(app).help());
    return finish_output(kExitClean);
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return finish_output(kExitClean);
  } catch (const CLI::ParseError& error) {
    complain(sentence_for(app.remaining().empty() ? chosen_app(app) : app, error));
    return kExitBadInput;
  }
  if (!chosen) {
    fmt::print(stderr, "{}", app.help());
    return kExitBadInput;
  }
  const Result<int> status = chosen();
  if (status) return finish_output(*status);
  std::fflush(stdout);
  complain(status.error().message);
  if (const std::string text = excerpts ? error_excerpt(status.error().message) : "";
      !text.empty()) {
    fmt::print(stderr, "{}\n", text);
  }
  return kExitBadInput;
}

// A fault of Foretrace's own. Called while the exception is being handled.
int fault_status() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory for this");
  } catch (const std::exception& error) {
    complain(fmt::format("this is a fault of Foretrace, please report it: {}", error.what()));
  } catch (...) {
    complain("this is a fault of Foretrace, please report it: an unknown exception");
  }
  return kExitFault;
}

// For exceptions that end a thread, and for those that nobody can catch.
void on_terminate() {
  if (std::current_exception() == nullptr) {
    complain("this is a fault of Foretrace, please report it: it had to stop");
    std::_Exit(kExitFault);
  }
  std::_Exit(fault_status());
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) {
  // When the reader of a pipe goes away (| head), end quietly, even if whoever
  // started this process ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  std::set_terminate(foretrace::on_terminate);
  try {
    return foretrace::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (...) {
    return foretrace::fault_status();
  }
}
