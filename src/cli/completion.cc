// foretrace completion: scripts that complete command lines in a shell.
#include <algorithm>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/completion_scripts.h"
#include "cli/options.h"

namespace foretrace {
namespace {

Result<int> run(const std::string& shell) {
  CLI::App app;
  std::function<Result<int>()> unused;
  build_command_line(app, unused);
  const std::vector<CompletedCommand> described = describe_commands(app);
  fmt::print("{}", shell == "zsh" ? zsh_completion(described) : bash_completion(described));
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  add_choice(app, "SHELL", *shell, {"bash", "zsh"}, "The shell to complete in: bash or zsh")
      ->required();
  return [shell] { return run(*shell); };
}

const CommandRegistration registration({
    .name = "completion",
    .summary = "print a script that completes foretrace's commands in bash or zsh",
    .examples =
        "  source <(foretrace completion bash)\n"
        "  foretrace completion bash > ~/.local/share/bash-completion/completions/foretrace\n"
        "  foretrace completion zsh > ~/.zfunc/_foretrace   # a folder in $fpath",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
