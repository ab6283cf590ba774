#include "cli/command.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/help.h"

namespace foretrace {
namespace {

std::vector<Command>& registry() {
  static std::vector<Command> commands;
  return commands;
}

}  // namespace

CommandRegistration::CommandRegistration(const Command& command) {
  std::vector<Command>& all = registry();
  const auto place =
      std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name > command.name; });
  all.insert(place, command);
}

const std::vector<Command>& commands() { return registry(); }

std::function<Result<int>()> group_setup(CLI::App& app) {
  app.require_subcommand(0, 1);
  return [&app]() -> Result<int> {
    return fail("{} needs a command; see foretrace {} --help", app.get_name(), app.get_name());
  };
}

void build_command_line(CLI::App& app, std::function<Result<int>()>& chosen) {
  app.name("foretrace");
  app.description(
      "Foretrace finds the concurrency errors that a test run did not hit: it reads a trace of a "
      "multithreaded program and predicts what other schedules would do");
  app.footer(
      "foretrace COMMAND --help says more about a command and shows examples.\n"
      "Exit status: 0 no findings, 1 findings, 2 the command line or the input is bad,\n"
      "3 a fault of Foretrace itself.");
  app.formatter(help_formatter());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "foretrace " FORETRACE_VERSION, "Print the version and exit");
  // At most one: what follows a command is its own, even if it is called like
  // another command.
  app.require_subcommand(0, 1);
  for (const Command& command : commands()) {
    const size_t blank = command.name.find(' ');
    CLI::App& parent = blank == std::string_view::npos
                           ? app
                           : *app.get_subcommand(std::string(command.name.substr(0, blank)));
    CLI::App* const sub = parent.add_subcommand(
        std::string(command.name.substr(blank == std::string_view::npos ? 0 : blank + 1)),
        std::string(command.summary));
    if (!command.examples.empty()) sub->footer("Examples:\n" + std::string(command.examples));
    // A group's callback comes after that of its command.
    sub->callback([&chosen, run = command.setup(*sub)] {
      if (!chosen) chosen = run;
    });
  }
}

}  // namespace foretrace
