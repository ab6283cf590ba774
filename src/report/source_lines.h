// Lines of the user's source files, where those are at hand.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrace {

class SourceLines {
 public:
  struct Line {
    uint64_t number;
    std::string text;
  };
  // The line that a site such as "bank.cpp:41" or "bank.cpp:41:7" names, with
  // its number, trimmed; nothing if the file or the line is not there.
  std::optional<Line> at(std::string_view site);
  // That line and `count` lines on either side, as they are in the file.
  std::vector<Line> around(std::string_view site, uint64_t count);

 private:
  const std::vector<std::string>& lines_of(const std::string& file);
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace foretrace
