// What a steered program told (src/steering/layout.h), in the words of the source.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "findings/finding.h"
#include "recording/debug_info.h"

namespace foretrace {

// Where a steered program was, as its runtime said it.
struct RawPlace {
  bool known = false;
  std::string key;  // what settings call it: "file:line:column", "@module+offset"
  CodeFrame frame;  // of a site; for code, to be looked for
  std::string what;
  std::vector<CodeFrame> inlined;
  std::string module;
  uint64_t offset = 0;
  uint64_t bias = 0;
  bool is_code = false;
};

struct RawAccess {
  std::string thread;
  bool write = false;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t number = 0;  // among its thread's accesses
  std::string started_by;
  std::string started_at;
  RawPlace place;
  std::vector<std::pair<std::string, uint64_t>> frames;  // module and offset
};

// A section that was violated or come through.
struct RawSection {
  std::string kind;
  std::string variable;
  std::string entry;
  std::string end;
  std::string entry_access;
  auto operator<=>(const RawSection&) const = default;
};

struct RawEntry {
  enum class Kind { race, deadlock, violation, seen, visited, shared, sync, step, pair };
  Kind kind = Kind::race;
  bool is_error() const {
    return kind == Kind::race || kind == Kind::deadlock || kind == Kind::violation;
  }
  std::vector<RawAccess> accesses;
  RawSection section;
  std::string unit;     // that has a pair of accesses
  uint32_t step = 0;    // of the script
  bool missed = false;  // a thread was held there in vain
};

struct SteeredReport {
  std::vector<RawEntry> entries;
  uint64_t processes = 0;
  bool atomics = false;  // whether any has a hook
  uint64_t accesses = 0;
  uint64_t threads = 0;
  uint64_t unwatched = 0;
  uint64_t races = 0;
  uint64_t noises = 0;
  uint64_t spent = 0;
  uint64_t holds = 0;
  uint64_t given_up = 0;
  uint64_t steps = 0;
  uint64_t steps_left_out = 0;
  uint64_t violations = 0;
  uint64_t lost = 0;
};

Result<void> make_report_file(const std::string& path);
Result<SteeredReport> read_report_file(const std::string& path);

// Makes findings of entries. Reads debug information once for each file.
class PlaceResolver {
 public:
  // The place in the source: "bank.cpp:12:5", and the function.
  CodeFrame shown(const RawPlace& place,
                  const std::vector<std::pair<std::string, uint64_t>>& frames);
  std::string variable(const RawAccess& access);
  FindingEvent event(const RawAccess& access);
  // Of a race, a deadlock or a violation.
  Finding finding(const RawEntry& entry);

 private:
  const std::vector<CodeFrame>& frames_at(const std::string& module, uint64_t offset);
  const DebugInfo& info_of(const std::string& module);

  std::map<std::string, std::unique_ptr<DebugInfo>> infos_;
  std::map<std::pair<std::string, uint64_t>, std::vector<CodeFrame>> frames_;
};

// "file:line:column", "file:line", or "".
std::string text_of(const CodeFrame& frame);

}  // namespace foretrace
