#include "lint/commands.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/input.h"
#include "base/text.h"

namespace foretrace::lint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kClang = "/usr/lib/llvm-22/bin/clang";
constexpr std::string_view kPrelude = "/foretrace-lint-prelude.h";

// Options that matter to what the source means; all other -f options do not, and many
// are GCC's own.
bool keeps_meaning(std::string_view option) {
  constexpr std::array<std::string_view, 18> kKept = {
      "-fopenmp",        "-fexceptions",    "-fno-exceptions", "-frtti",          "-fno-rtti",
      "-funsigned-char", "-fsigned-char",   "-fshort-enums",   "-fms-extensions", "-fPIC",
      "-fpic",           "-fPIE",           "-fpie",           "-fchar8_t",       "-fno-char8_t",
      "-fblocks",        "-fcoroutines-ts", "-fno-builtin"};
  return std::find(kKept.begin(), kKept.end(), option) != kKept.end() ||
         option.starts_with("-ftemplate-depth") || option.starts_with("-fconstexpr-depth") ||
         option.starts_with("-fmacro-prefix-map");
}

bool keeps_machine(std::string_view option) {
  return option == "-m32" || option == "-m64" || option == "-mx32" || option == "-pthread" ||
         option.starts_with("-msse") || option.starts_with("-mavx") ||
         option.starts_with("-mbmi") || option.starts_with("-mfma") || option == "-mpclmul" ||
         option == "-maes" || option == "-mcrc32" || option == "-mpopcnt" ||
         option.starts_with("-march=x86-64") || option == "-march=native";
}

// Options whose word that follows is theirs, and both are to go.
bool takes_word_and_goes(std::string_view option) {
  constexpr std::array<std::string_view, 9> kGone = {"-o", "-MF", "-MT",     "-MQ",      "-Xlinker",
                                                     "-T", "-u",  "--param", "-aux-info"};
  return std::find(kGone.begin(), kGone.end(), option) != kGone.end();
}

bool takes_word(std::string_view option) {
  constexpr std::array<std::string_view, 12> kTakes = {
      "-I",         "-D",       "-U",        "-include", "-isystem", "-iquote",
      "-idirafter", "-imacros", "-isysroot", "-x",       "-std",     "-target"};
  return std::find(kTakes.begin(), kTakes.end(), option) != kTakes.end();
}

bool goes(std::string_view option) {
  if (option.starts_with("-W") || option.starts_with("-O") || option.starts_with("-g") ||
      option.starts_with("-l") || option.starts_with("-L") || option.starts_with("-M")) {
    return true;
  }
  if (option.starts_with("-f")) return !keeps_meaning(option);
  if (option.starts_with("-m")) return !keeps_machine(option);
  return option == "-c" || option == "-S" || option == "-E" || option == "-pipe" ||
         option == "-pedantic" || option == "-pedantic-errors" || option == "-ansi-alias" ||
         option == "-s" || option == "-shared" || option == "-static" || option == "-rdynamic" ||
         option == "-pg" || option == "-p" || option == "-v" || option == "-w" ||
         option.starts_with("-save-temps") || option.starts_with("-specs=") ||
         option.starts_with("--coverage") || option.starts_with("-print-");
}

// Wrappers that stand before the compiler: ccache, distcc.
size_t compiler_at(const std::vector<std::string>& words) {
  const std::set<std::string> wrappers = {"ccache", "distcc", "sccache", "icecc"};
  size_t at = 0;
  while (at + 1 < words.size() && wrappers.contains(fs::path(words[at]).filename().string())) ++at;
  return at;
}

std::string absolute(const std::string& file, const std::string& directory) {
  return (fs::path(directory) / file).lexically_normal().string();
}

// A shell's words: blanks, quotes and backslashes.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

Result<CompileCommand> parse_entry(const nlohmann::json& entry, size_t number,
                                   const std::string& path) {
  const auto bad = [&](std::string_view what) {
    return fail("{}: entry {} {}", path, number, what);
  };
  if (!entry.is_object() || !entry.contains("directory") || !entry.contains("file") ||
      !entry["directory"].is_string() || !entry["file"].is_string()) {
    return bad("has no directory and file");
  }
  CompileCommand command;
  command.directory = entry["directory"].get<std::string>();
  command.file = absolute(entry["file"].get<std::string>(), command.directory);
  std::vector<std::string> words;
  if (entry.contains("arguments") && entry["arguments"].is_array()) {
    for (const auto& word : entry["arguments"]) {
      if (!word.is_string()) return bad("has an argument that is no text");
      words.push_back(word.get<std::string>());
    }
  } else if (entry.contains("command") && entry["command"].is_string()) {
    words = shell_words(entry["command"].get<std::string>());
  }
  if (words.empty()) return bad("has neither arguments nor a command");
  command.words = clang_words(words);
  return command;
}

}  // namespace

bool is_source(std::string_view word) {
  constexpr std::array<std::string_view, 9> kEndings = {".c", ".cc",  ".cpp", ".cxx", ".c++",
                                                        ".C", ".CPP", ".cp",  ".i"};
  return !word.starts_with('-') &&
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return word.ends_with(ending); });
}

std::vector<std::string> clang_words(const std::vector<std::string>& words) {
  const size_t compiler = compiler_at(words);
  const std::string name = fs::path(words[compiler]).filename().string();
  const bool cpp = name.find("++") != std::string::npos;
  std::vector<std::string> kept = {std::string(kClang) + (cpp ? "++" : ""), "-fsyntax-only", "-w",
                                   "-include", std::string(kPrelude)};
  for (size_t i = compiler + 1; i < words.size(); ++i) {
    if (takes_word_and_goes(words[i])) {
      ++i;
    } else if (takes_word(words[i]) && i + 1 < words.size()) {
      kept.push_back(words[i]);
      kept.push_back(words[++i]);
    } else if (!goes(words[i])) {
      kept.push_back(words[i]);
    }
  }
  return kept;
}

Result<std::vector<CompileCommand>> read_compile_commands(const std::string& path,
                                                          const std::vector<std::string>& files) {
  std::error_code error;
  fs::path database = path;
  if (fs::is_directory(database, error)) database /= "compile_commands.json";
  if (!fs::exists(database, error)) {
    return fail(
        "{} is not there: let CMake write it (-DCMAKE_EXPORT_COMPILE_COMMANDS=ON) or record it "
        "with `bear -- make`, or name source files",
        database.string());
  }
  const Result<std::string> text = read_input(database.string());
  if (!text) return tl::unexpected(text.error());
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_array()) {
    return fail("{} is no compilation database: it is not a JSON list", database.string());
  }
  std::set<std::string> chosen;
  for (const std::string& file : files) {
    chosen.insert(fs::absolute(file, error).lexically_normal().string());
  }
  std::vector<CompileCommand> commands;
  std::set<std::string> seen;
  for (size_t i = 0; i < json.size(); ++i) {
    Result<CompileCommand> command = parse_entry(json[i], i, database.string());
    if (!command) return tl::unexpected(command.error());
    if (!is_source(command->file)) continue;  // assembler and the like
    if (!files.empty() && chosen.erase(command->file) == 0 && !seen.contains(command->file)) {
      continue;
    }
    // A file that is compiled twice (for a shared and a static library) is looked at once.
    if (seen.insert(command->file).second) commands.push_back(std::move(*command));
  }
  if (!chosen.empty()) {
    return fail("{} is not in {}: how it is compiled is not known", *chosen.begin(),
                database.string());
  }
  if (commands.empty()) return fail("{} has no C or C++ sources", database.string());
  return commands;
}

Result<std::vector<CompileCommand>> commands_of(const std::vector<std::string>& words,
                                                const std::string& directory) {
  std::vector<std::string> sources;
  std::vector<std::string> others;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && is_source(words[i])) {
      sources.push_back(words[i]);
    } else {
      others.push_back(words[i]);
      if ((takes_word(words[i]) || takes_word_and_goes(words[i])) && i + 1 < words.size()) {
        others.push_back(words[++i]);
      }
    }
  }
  if (sources.empty()) {
    return fail("the command after -- names no C or C++ source: foretrace lint -- g++ -c x.cpp");
  }
  std::vector<CompileCommand> commands;
  for (const std::string& source : sources) {
    std::vector<std::string> one = others;
    one.push_back(source);
    commands.push_back({directory, absolute(source, directory), clang_words(one)});
  }
  return commands;
}

Result<std::vector<CompileCommand>> commands_for(const std::vector<std::string>& files) {
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  std::vector<CompileCommand> commands;
  for (const std::string& file : files) {
    const bool c = file.ends_with(".c");
    commands.push_back(
        {here, absolute(file, here),
         clang_words({c ? "gcc" : "g++", c ? "-std=gnu17" : "-std=gnu++20", "-pthread", file})});
  }
  return commands;
}

}  // namespace foretrace::lint
