// foretrace c++ and foretrace cc: the compiler, with Foretrace's plugin and
// runtime. Clang 22 has the plugin; with any other compiler that knows
// -fsanitize=thread the runtime takes the place of ThreadSanitizer's.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/library_folder.h"

namespace foretrace {
namespace {

using Words = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What the compiler is asked to do, as far as it matters here.
struct Request {
  bool has_input = false;
  bool links = true;
  std::string static_word;  // the word that asks for libraries in the program
  bool has_debug_option = false;
  bool has_ignore_list = false;
  std::string sections;  // of a program that is built to be healed
  bool hunts = false;    // a static program that is built to be steered, not recorded

  bool links_statically() const { return links && !static_word.empty(); }
};

Request understand(const Words& words) {
  Request request;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (is_one_of(word, {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile"})) {
      request.links = false;
    } else if (is_one_of(word, {"-static", "-static-pie", "-static-libtsan"})) {
      request.static_word = word;
    } else if (word.starts_with("-fsanitize-ignorelist=")) {
      request.has_ignore_list = true;
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

// Takes -fsanitize-ignorelist=FILE out of the words: the plugin reads the files
// that a variable names. Clang alone knows the option only with a sanitizer.
void hand_ignore_lists_to_plugin(Words& words) {
  constexpr std::string_view kOption = "-fsanitize-ignorelist=";
  std::string files;
  for (const std::string& word : words) {
    if (word.starts_with(kOption))
      files += (files.empty() ? "" : ":") + word.substr(kOption.size());
  }
  std::erase_if(words, [&](const std::string& word) { return word.starts_with(kOption); });
  if (!files.empty()) ::setenv("FORETRACE_IGNORELIST", files.c_str(), 1);
}

// Takes --heal=FILE out of the words; the plugin reads the file that a variable
// names.
Result<std::string> take_sections(Words& words) {
  constexpr std::string_view kOption = "--heal=";
  std::string sections;
  for (const std::string& word : words) {
    if (word.starts_with(kOption)) sections = word.substr(kOption.size());
    if (word == "--heal") return fail("--heal needs a file of sections: --heal=FILE");
  }
  if (sections.empty()) return sections;
  std::erase_if(words, [&](const std::string& word) { return word.starts_with(kOption); });
  if (!std::filesystem::exists(sections)) return fail("--heal: there is no file {}", sections);
  std::string path = std::filesystem::absolute(sections).string();
  ::setenv("FORETRACE_HEAL_SECTIONS", path.c_str(), 1);
  return path;
}

enum class Compiler { clang_with_plugin, clang, gcc };

std::string shell_word(std::string_view word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Asks the compiler which macros it defines.
Result<Compiler> kind_of(const Words& compiler) {
  std::string command;
  for (const std::string& word : compiler) command += shell_word(word) + " ";
  command += "-dM -E -x c /dev/null 2>/dev/null";
  // NOLINTNEXTLINE(bugprone-command-processor): its words are quoted.
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return fail("cannot run {}: {}", compiler.front(), std::strerror(errno));
  std::string macros;
  char buffer[4096];
  while (const size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) macros.append(buffer, got);
  ::pclose(pipe);
  if (macros.find("#define __clang_major__ 22\n") != std::string::npos) {
    return Compiler::clang_with_plugin;
  }
  if (macros.find("#define __clang__ ") != std::string::npos) return Compiler::clang;
  if (macros.find("#define __GNUC__ ") != std::string::npos) return Compiler::gcc;
  return fail("{} is neither a Clang nor a GCC that can be run; see FORETRACE_CXX in {}",
              printable(compiler.front()), "docs/recording.md");
}

// Ours come first, so that the runtime stands in front of libc.
Words our_words(const Request& request, Compiler compiler, const std::filesystem::path& folder) {
  const std::string runtime = (folder / "libforetrace_runtime.so").string();
  const std::string find_runtime = "-Wl,-rpath," + folder.string();
  const std::string steer = (folder / "libforetrace_steer.so").string();
  const bool heals = !request.sections.empty();
  Words words = {"-idirafter", include_folder(folder).string()};
  // Annotations are for recordings.
  if (!heals) words.insert(words.begin(), "-DFORETRACE=1");
  if (!request.has_debug_option) words.emplace_back("-g");  // names and places
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  if (compiler == Compiler::gcc) {
    add({"-fsanitize=thread"});
    // GCC links libtsan: it finds the runtime under that name, or both, the steering first.
    if (request.links && heals) {
      add({"-L" + healing_libtsan_folder(folder).string(), "-L" + folder.string(), find_runtime});
    } else if (request.links) {
      add({"-L" + libtsan_folder(folder).string(), find_runtime});
    }
    return words;
  }
  if (compiler == Compiler::clang_with_plugin) {
    add({"-fpass-plugin=" + (folder / "libforetrace_plugin.so").string()});
  } else {
    // Without the option the read of x++ would not be seen.
    add({"-fsanitize=thread", "-fno-sanitize-link-runtime", "-mllvm",
         "-tsan-instrument-read-before-write"});
  }
  if (request.links && !request.links_statically()) {
    add({"-Wl,--push-state,--no-as-needed"});
    if (heals) add({steer});
    // Atomic operations with -fsanitize=thread are calls of the runtime.
    if (!heals || compiler == Compiler::clang) add({runtime});
    add({"-Wl,--pop-state", find_runtime});
  }
  // Clang would otherwise warn about those that a step does not need.
  words.insert(words.begin(), "--start-no-unused-arguments");
  words.emplace_back("--end-no-unused-arguments");
  return words;
}

// A static runtime comes last: the linker takes from it what is still missing. It
// redirects calls of libc's functions, which the file of words tells it.
Words last_words(const Request& request, bool cplusplus, const std::filesystem::path& folder) {
  if (!request.links_statically()) return {};
  const bool steers = request.hunts || !request.sections.empty();
  const std::string name = steers ? "libforetrace_steer" : "libforetrace_runtime";
  const std::string runtime = (folder / (name + ".a")).string();
  // The start of the runtime is where the symbol is: code that is only healed asks for none.
  Words words = {"-Wl,@" + (folder / (name + ".wrap")).string(),
                 "-Wl,--undefined=__foretrace_active"};
  if (!cplusplus) {
    words.push_back(runtime);
  } else {  // the two need each other
    words.insert(words.end(), {"-Wl,--start-group", runtime, "-lstdc++", "-Wl,--end-group"});
  }
  return words;
}

// Becomes the compiler; comes back only if it cannot.
Result<int> become(const Words& compiler, const Words& ours, const Words& given,
                   const Words& last = {}) {
  std::vector<char*> words;
  for (const Words* list : {&compiler, &ours, &given, &last}) {
    for (const std::string& word : *list) words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  return fail("cannot run {}: {}; install clang-22, or set FORETRACE_CXX and FORETRACE_CC",
              compiler.front(), std::strerror(errno));
}

// FORETRACE_CXX and FORETRACE_CC may be several words: ccache g++.
Words chosen_compiler(bool cplusplus) {
  const char* const chosen = std::getenv(cplusplus ? "FORETRACE_CXX" : "FORETRACE_CC");
  Words words;
  for (const std::string_view word : words_of(chosen != nullptr ? chosen : "")) {
    words.emplace_back(word);
  }
  return words;
}

Result<void> check(const Request& request, Compiler compiler, const std::filesystem::path& folder) {
  if (request.links_statically() && compiler != Compiler::clang_with_plugin) {
    return fail(
        "{}: with -fsanitize=thread the runtime must be a shared library; link the program "
        "dynamically, or compile it with Clang 22",
        request.static_word);
  }
  if (compiler == Compiler::gcc && request.has_ignore_list) {
    return fail(
        "-fsanitize-ignorelist: GCC has no ignore lists; use Clang, or write "
        "__attribute__((no_sanitize(\"thread\"))) before the function");
  }
  if (compiler == Compiler::clang_with_plugin &&
      !std::filesystem::exists(folder / "libforetrace_plugin.so")) {
    return fail("the compiler plugin was not built; install llvm-22-dev and build Foretrace again");
  }
  return {};
}

Result<int> compile(const CLI::App& app, bool cplusplus) {
  Words given = app.remaining();
  if (!given.empty() && given.front() == "--") given.erase(given.begin());
  const bool hunts = std::erase(given, "--hunt") > 0;
  const Result<std::string> sections = take_sections(given);
  if (!sections) return tl::unexpected(sections.error());
  Request request = understand(given);
  request.sections = *sections;
  request.hunts = hunts;
  Words compiler = chosen_compiler(cplusplus);
  Result<Compiler> kind = Compiler::clang_with_plugin;
  if (compiler.empty()) {
    compiler = {cplusplus ? "clang++-22" : "clang-22"};
  } else {
    kind = kind_of(compiler);
    if (!kind) return tl::unexpected(kind.error());
  }
  if (!request.has_input) return become(compiler, {}, given);
  const Result<std::filesystem::path> folder = library_folder();
  if (!folder) return tl::unexpected(folder.error());
  if (Result<void> done = check(request, *kind, *folder); !done) {
    return tl::unexpected(done.error());
  }
  if (*kind == Compiler::clang_with_plugin) hand_ignore_lists_to_plugin(given);
  return become(compiler, our_words(request, *kind, *folder), given,
                last_words(request, cplusplus, *folder));
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
                "  FORETRACE_CXX=g++ foretrace c++ -O2 -o bank bank.cpp\n"
                "  foretrace c++ --heal=bank.sections -O2 -o bank bank.cpp   # see foretrace heal\n"
                "  foretrace c++ --hunt -static -O2 -o bank bank.cpp         # see foretrace hunt\n"
                "All arguments go to clang++-22, or to the compiler that FORETRACE_CXX names.\n",
    .setup = setup<true>,
});

const CommandRegistration c({
    .name = "cc",
    .summary = "compile and link a C program so that it can be recorded",
    .examples = "  foretrace cc -O2 -o bank bank.c -pthread\n"
                "  make CC='foretrace cc'\n"
                "All arguments go to clang-22, or to the compiler that FORETRACE_CC names.\n",
    .setup = setup<false>,
});

}  // namespace
}  // namespace foretrace
