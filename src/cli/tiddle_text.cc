#include "cli/tiddle_text.h"

#include <array>

#include "base/input.h"
#include "base/text.h"

namespace foretrace {

std::vector<std::string> TiddleText::lines() const {
  std::vector<std::string> lines;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  if (lines.back().empty()) lines.pop_back();  // behind the last line's end
  return lines;
}

Result<TiddleText> read_tiddle(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> source = open_input(path);
  if (!source) return tl::unexpected(source.error());
  TiddleText result = {(*source)->name(), {}};
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const Result<size_t> size = (*source)->read(chunk);
    if (!size) return tl::unexpected(size.error());
    if (*size == 0) return result;
    result.text.append(chunk.data(), *size);
  }
}

}  // namespace foretrace
