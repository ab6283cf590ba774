// foretrace demo: records a small bank program, predicts its errors, and writes
// them as a page.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/page.h"

namespace foretrace {
namespace {

// examples/bank.cpp
constexpr std::string_view kBank =
#include "bank.inc"
    ;

struct Options {
  std::string output = "foretrace-demo.html";
  std::string folder = "foretrace-demo";
};

void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

class Demo {
 public:
  explicit Demo(const Options& options) : options_(options), folder_(options.folder) {}

  Result<int> run() {
    if (!why_no_page().empty()) return fail("{}", why_no_page());
    if (const Result<void> done = write_source(); !done) return tl::unexpected(done.error());
    say(fmt::format("compiling {} with Foretrace's compiler", path("bank.cpp")));
    // Optimised a little: what stays in registers is not worth looking at. But last
    // calls stay calls, so that the page shows all callers.
    Result<int> status = foretrace({"c++", "-std=c++20", "-O1", "-fno-optimize-sibling-calls", "-o",
                                    path("bank"), path("bank.cpp")},
                                   {kExitClean});
    if (!status) return status;
    say("running it once, recording what its threads do, and looking at other schedules");
    status = foretrace({"run", "--keep", path("bank.ftr"), "--exit", "findings", "--analysis",
                        "cp,deadlock,nondeterminism,race,serializability,sidetrack", "--format",
                        "html", "-o", options_.output, "--", program()},
                       {kExitClean, kExitFindings});
    if (!status) return status;
    say(fmt::format("wrote {}; open it in a browser. {} has the program and its trace.",
                    options_.output, options_.folder));
    return kExitClean;
  }

 private:
  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  // With a folder in front, or else it would be looked for in PATH.
  std::string program() const {
    const std::string bank = path("bank");
    return bank.find('/') == std::string::npos ? "./" + bank : bank;
  }

  Result<void> write_source() const {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) return fail("cannot make the folder {}: {}", options_.folder, error.message());
    Result<std::unique_ptr<ByteSink>> sink = open_output(path("bank.cpp"));
    if (!sink) return tl::unexpected(sink.error());
    (*sink)->write(kBank);
    return (*sink)->close();
  }

  // Runs this program with other words.
  static Result<int> foretrace(std::vector<std::string> words, std::initializer_list<int> good) {
    words.insert(words.begin(), "foretrace");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t pid = 0;
    int status = ::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ);
    if (status != 0) return fail("cannot run foretrace: {}", std::strerror(status));
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (std::find(good.begin(), good.end(), code) != good.end()) return code;
    return fail("'{}' ended with status {}", fmt::join(words, " "), code);
  }

  const Options& options_;
  const std::filesystem::path folder_;
};

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("-o,--output", options->output, "The page to write")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--folder", options->folder, "Where the program and its trace go")
      ->type_name("FOLDER")
      ->capture_default_str();
  return [options] { return Demo(*options).run(); };
}

const CommandRegistration registration({
    .name = "demo",
    .summary = "record a small bank program, predict its errors, write them as a page",
    .examples = "  foretrace demo\n"
                "  foretrace demo -o /tmp/demo.html --folder /tmp/demo\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
