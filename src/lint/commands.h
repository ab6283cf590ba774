// Which files to look at and how they are compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace foretrace::lint {

struct CompileCommand {
  std::string directory;
  std::string file;                // absolute
  std::vector<std::string> words;  // for Clang, its own name first
};

// Whether the name is that of a C or C++ source.
bool is_source(std::string_view word);

// The commands of a compile_commands.json; only those of `files` if any are given.
// `path` is the file or its folder.
Result<std::vector<CompileCommand>> read_compile_commands(const std::string& path,
                                                          const std::vector<std::string>& files);

// A command of a compiler, as in `foretrace lint -- g++ -c x.cpp`: one for each source
// in it.
Result<std::vector<CompileCommand>> commands_of(const std::vector<std::string>& words,
                                                const std::string& directory);

// Files without a compilation database: as the latest C or C++.
Result<std::vector<CompileCommand>> commands_for(const std::vector<std::string>& files);

// The words of a compiler's command for Clang: what only GCC knows, what is about
// output, warnings and linking is left out, and the prelude of transactions is put in.
std::vector<std::string> clang_words(const std::vector<std::string>& words);

}  // namespace foretrace::lint
