// foretrace-lint-unit OUTPUT COMPILER ARGUMENTS…: the summary of one translation
// unit. `foretrace lint` runs one of these for each, so that a crash of Clang or a
// source that needs too much memory costs one unit and not the analysis.
#include <cstdio>
#include <fstream>

#include "lint/archive.h"
#include "lint/clang/unit.h"

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: foretrace-lint-unit OUTPUT COMPILER ARGUMENTS...\n", stderr);
    return 2;
  }
  const std::vector<std::string> command(words + 2, words + count);
  const std::string bytes = foretrace::lint::to_bytes(foretrace::lint::summarise(command));
  std::ofstream output(words[1], std::ios::binary | std::ios::trunc);
  output.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  output.close();
  if (!output) {
    std::fprintf(stderr, "%s cannot be written\n", words[1]);
    return 3;
  }
  return 0;
}
