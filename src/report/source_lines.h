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
  // The line that a site such as "bank.cpp:41" or "bank.cpp:41:7" names, with
  // its number; nothing if the file or the line is not there.
  struct Line {
    uint64_t number;
    std::string text;
  };
  std::optional<Line> at(std::string_view site);

 private:
  const std::vector<std::string>& lines_of(const std::string& file);
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace foretrace
