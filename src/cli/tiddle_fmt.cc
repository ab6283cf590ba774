// foretrace tiddle fmt: Tiddle traces as they should look.
#include <memory>

#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/error_excerpt.h"
#include "cli/tiddle_text.h"
#include "trace/tiddle_format.h"
#include "trace/tiddle_line.h"

namespace foretrace {
namespace {

struct Options {
  std::string path;
  std::string output = "-";
  bool in_place = false;
  bool check = false;
};

Result<int> run(const Options& options) {
  const Result<TiddleText> text = read_tiddle(options.path);
  if (!text) return tl::unexpected(text.error());
  const std::vector<std::string> lines = text->lines();
  for (size_t i = 0; i < lines.size(); ++i) {
    const tl::expected<TiddleLine, TiddleFault> line = parse_tiddle_line(lines[i]);
    if (!line) return fail("{}:{}: {}", text->name, i + 1, line.error().sentence);
  }
  const std::string formatted = format_tiddle(lines);
  if (options.check) {
    if (formatted == text->text) return kExitClean;
    fmt::print(stderr, "foretrace: {} is not formatted; foretrace tiddle fmt -i does it\n",
               text->name);
    return kExitFindings;
  }
  if (options.in_place && options.path == "-") {
    return fail("standard input cannot be changed in place; leave out --in-place");
  }
  if (options.in_place && formatted == text->text) return kExitClean;
  Result<std::unique_ptr<ByteSink>> sink =
      open_output(options.in_place ? options.path : options.output);
  if (!sink) return tl::unexpected(sink.error());
  (*sink)->write(formatted);
  if (Result<void> done = (*sink)->close(); !done) return tl::unexpected(done.error());
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("TRACE", options->path, "The Tiddle trace; - is standard input")->required();
  CLI::Option* const output =
      app.add_option("-o,--output", options->output, "The file to write; - is standard output")
          ->type_name("FILE");
  CLI::Option* const in_place =
      app.add_flag("-i,--in-place", options->in_place, "Write the trace to its own file")
          ->excludes(output);
  app.add_flag("--check", options->check,
               "Write nothing; exit status 1 if the trace does not look as it should")
      ->excludes(output)
      ->excludes(in_place);
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "tiddle fmt",
    .summary = "put a Tiddle trace into columns; comments stay",
    .examples = "  foretrace tiddle fmt race.tiddle\n"
                "  foretrace tiddle fmt -i race.tiddle\n"
                "  foretrace tiddle fmt --check race.tiddle",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
