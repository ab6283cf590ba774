// The places that atomic sections name, for programs that are built to be healed:
// only there are hooks, in front of the access and behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretrace::instrument {

class SectionPoints {
 public:
  // Reads the file that FORETRACE_HEAL_SECTIONS names (docs/formats/sections.md);
  // `foretrace c++ --heal=FILE` sets it. Ends the compiler with a complaint if the
  // file is bad.
  SectionPoints();

  // Whether the program is built to be healed.
  bool exist() const { return exist_; }
  bool contain(const std::string& file, uint32_t line, uint32_t column,
               const std::string& variable) const;

 private:
  struct Point {
    std::string file;  // empty: wherever the variable is accessed
    uint32_t line = 0;
    uint32_t column = 0;
    std::string variable;
  };
  void read(const std::string& path);

  bool exist_ = false;
  std::vector<Point> points_;
};

}  // namespace foretrace::instrument
