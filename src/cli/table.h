// Aligned columns for the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foretrace {

class Table {
 public:
  struct Column {
    std::string_view title;
    bool right = false;  // numbers stand to the right
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell for each column; long ones are not cut.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Indented by two blanks, each line with its end.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace foretrace
