// foretrace c++ and foretrace cc: the compiler, with Foretrace's plugin and
// runtime.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"

namespace foretrace {
namespace {

using Words = std::vector<std::string>;

// Where the plugin and the runtime are: beside the program in a build folder,
// or where they are installed.
Result<std::filesystem::path> library_folder() {
  std::error_code error;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& folder : {here / "lib", here / "../lib/foretrace"}) {
    if (std::filesystem::exists(folder / "libforetrace_runtime.so", error)) {
      return std::filesystem::weakly_canonical(folder, error);
    }
  }
  return fail("libforetrace_runtime.so is not in {}: build or install Foretrace again",
              (here / "lib").string());
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What the compiler is asked to do, as far as it matters here.
struct Request {
  bool has_input = false;
  bool links = true;
  bool is_static = false;
  bool has_debug_option = false;
};

Request understand(const Words& words) {
  Request request;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (is_one_of(word, {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile"})) {
      request.links = false;
    } else if (word == "-static" || word == "-static-pie") {
      request.is_static = true;
    } else if (word.starts_with("-g") && !word.starts_with("-gcc")) {
      request.has_debug_option = true;
    } else if (is_one_of(word,
                         {"-o",       "-I",       "-L",      "-D",         "-U",      "-x",
                          "-T",       "-u",       "-z",      "-MF",        "-MT",     "-MQ",
                          "-include", "-isystem", "-iquote", "-idirafter", "-Xclang", "-Xlinker",
                          "-target",  "-arch",    "-mllvm"})) {
      ++i;  // its value is no input
    } else if (!word.starts_with('-') || word == "-") {
      request.has_input = true;
    }
  }
  request.links = request.links && request.has_input;
  return request;
}

// Ours come first, so that the runtime stands in front of libc. Clang would
// otherwise warn about those that a step does not need.
Words our_words(const Request& request, const std::filesystem::path& folder) {
  Words words = {"--start-no-unused-arguments",
                 "-fpass-plugin=" + (folder / "libforetrace_plugin.so").string(), "-DFORETRACE=1"};
  if (!request.has_debug_option) words.emplace_back("-g");  // names and places
  if (request.links) {
    words.insert(words.end(),
                 {"-Wl,--push-state,--no-as-needed", (folder / "libforetrace_runtime.so").string(),
                  "-Wl,--pop-state", "-Wl,-rpath," + folder.string()});
  }
  words.emplace_back("--end-no-unused-arguments");
  return words;
}

// Becomes the compiler; comes back only if it cannot.
Result<int> become(const std::string& compiler, const Words& ours, const Words& given) {
  std::vector<char*> words = {const_cast<char*>(compiler.c_str())};
  for (const Words* list : {&ours, &given}) {
    for (const std::string& word : *list) words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  return fail("cannot run {}: {}; install clang-22, or set FORETRACE_CLANG to a Clang 22", compiler,
              std::strerror(errno));
}

std::string compiler_for(bool cplusplus) {
  const char* const chosen = std::getenv(cplusplus ? "FORETRACE_CLANGXX" : "FORETRACE_CLANG");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return cplusplus ? "clang++-22" : "clang-22";
}

Result<int> compile(const CLI::App& app, bool cplusplus) {
  Words given = app.remaining();
  if (!given.empty() && given.front() == "--") given.erase(given.begin());
  const Request request = understand(given);
  if (request.is_static && request.links) {
    return fail(
        "-static: the runtime stands in front of the C library, which must be shared; "
        "link the program dynamically to record it");
  }
  const Result<std::filesystem::path> folder = library_folder();
  if (!folder) return tl::unexpected(folder.error());
  if (request.has_input && !std::filesystem::exists(*folder / "libforetrace_plugin.so")) {
    return fail("the compiler plugin was not built; install llvm-22-dev and build Foretrace again");
  }
  return become(compiler_for(cplusplus), request.has_input ? our_words(request, *folder) : Words(),
                given);
}

template <bool kCplusplus>
std::function<Result<int>()> setup(CLI::App& app) {
  app.prefix_command();
  return [&app] { return compile(app, kCplusplus); };
}

const CommandRegistration cplusplus({
    .name = "c++",
    .summary = "compile and link a C++ program so that it can be recorded",
    .examples = "  foretrace c++ -O2 -o bank bank.cpp\n"
                "  make CXX='foretrace c++'\n"
                "  cmake -DCMAKE_CXX_COMPILER=foretrace-c++ …\n"
                "All arguments go to clang++-22.\n",
    .setup = setup<true>,
});

const CommandRegistration c({
    .name = "cc",
    .summary = "compile and link a C program so that it can be recorded",
    .examples = "  foretrace cc -O2 -o bank bank.c -pthread\n"
                "  make CC='foretrace cc'\n"
                "All arguments go to clang-22.\n",
    .setup = setup<false>,
});

}  // namespace
}  // namespace foretrace
