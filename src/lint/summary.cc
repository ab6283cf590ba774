#include "lint/summary.h"

#include <filesystem>

#include <fmt/format.h>

namespace foretrace::lint {

std::string to_string(const Position& position) {
  static const std::string here = [] {
    std::error_code error;
    return std::filesystem::current_path(error).string() + "/";
  }();
  std::string_view file = position.file.text();
  if (file.starts_with(here)) file.remove_prefix(here.size());
  return fmt::format("{}:{}:{}", file, position.line, position.column);
}

bool is_constant(Name index) {
  const std::string& text = index.text();
  return !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
}

}  // namespace foretrace::lint
