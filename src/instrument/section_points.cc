#include "instrument/section_points.h"

#include <cstdlib>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>

#include "steering/matching.h"

namespace foretrace::instrument {
namespace {

// "file:line:column", or "file:line".
bool parse_place(llvm::StringRef text, std::string& file, uint32_t& line, uint32_t& column) {
  auto [front, last] = text.rsplit(':');
  auto [name, middle] = front.rsplit(':');
  if (!middle.empty() && !middle.getAsInteger(10, line) && !last.getAsInteger(10, column)) {
    file = name.str();
    return true;
  }
  file = front.str();
  return !last.empty() && !last.getAsInteger(10, line);
}

}  // namespace

SectionPoints::SectionPoints() {
  const char* const path = std::getenv("FORETRACE_HEAL_SECTIONS");
  if (path == nullptr || path[0] == '\0') return;
  exist_ = true;
  read(path);
}

void SectionPoints::read(const std::string& path) {
  const auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) llvm::report_fatal_error(llvm::Twine("foretrace: cannot read ") + path, false);
  llvm::SmallVector<llvm::StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  if (lines.empty() || lines[0] != "foretrace/sections/1") {
    llvm::report_fatal_error(llvm::Twine("foretrace: ") + path +
                                 ":1: this is no file of sections (foretrace/sections/1)",
                             false);
  }
  std::string variable;
  for (size_t i = 1; i < lines.size(); ++i) {
    llvm::SmallVector<llvm::StringRef> fields;
    lines[i].split(fields, '\t');
    const llvm::StringRef word = fields[0];
    const auto field = [&](size_t at) {
      return at < fields.size() ? fields[at] : llvm::StringRef();
    };
    if (word == "section") {
      variable = field(2).str();
      if (steering::is_known(variable.c_str())) points_.push_back({"", 0, 0, variable});
      continue;
    }
    const bool is_exit = word == "exit";
    if (word != "entry" && word != "end" && !is_exit) continue;
    Point point;
    point.variable = is_exit ? "" : variable;
    if (!parse_place(field(is_exit ? 1 : 2), point.file, point.line, point.column)) {
      llvm::report_fatal_error(llvm::Twine("foretrace: ") + path + ":" + llvm::Twine(i + 1) +
                                   ": the site is not file:line:column",
                               false);
    }
    points_.push_back(point);
  }
}

bool SectionPoints::contain(const std::string& file, uint32_t line, uint32_t column,
                            const std::string& variable) const {
  for (const Point& point : points_) {
    const bool names_known =
        steering::is_known(point.variable.c_str()) && steering::is_known(variable.c_str());
    const bool same_name =
        names_known && steering::same_variable(point.variable.c_str(), variable.c_str());
    if (point.file.empty()) {
      if (same_name) return true;
      continue;
    }
    if (point.line != line || (names_known && !same_name) ||
        !steering::same_file(point.file.c_str(), file.c_str())) {
      continue;
    }
    if (point.column == column || point.column == 0 || column == 0 || same_name) return true;
  }
  return false;
}

}  // namespace foretrace::instrument
