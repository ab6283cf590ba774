// What an ELF file and its debug information say about addresses. Read with
// libdw; only this file's implementation knows it.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace foretrace {

// A place in the source, as a frame of a call stack.
struct CodeFrame {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string function;  // with its namespaces and classes
  auto operator<=>(const CodeFrame&) const = default;
};

class DebugInfo {
 public:
  // Nothing is known of a file that cannot be read.
  explicit DebugInfo(const std::string& path);
  ~DebugInfo();
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;

  // The frames at an address of the file, innermost first: the functions that
  // were inlined there, then the one that they were inlined into. Without debug
  // information the function's symbol is all that there is.
  std::vector<CodeFrame> frames(uint64_t address) const;

  // What variable is at an address of the file: "balance", "bank::total+8"; ""
  // if there is none.
  std::string variable(uint64_t address) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

// Headers of the system and of the compiler: what is in them is seldom what a
// user wants to read about.
bool is_system_file(const std::string& file);
// Whether a user wants to see this place, and not its caller's: also if it is known by its
// function's name as noise of a system library (library_noise.h).
bool is_to_be_shown(const std::string& file, const std::string& function);

}  // namespace foretrace
