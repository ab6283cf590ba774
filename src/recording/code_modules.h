// The modules of a program image whose sites are addresses in code
// (runtime/modules.h), and what those addresses mean.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "recording/debug_info.h"

namespace foretrace {

class CodeModules {
 public:
  // As the runtime wrote it down (layout.h, NameKind::module).
  void add(uint32_t base, const std::string& path, const std::string& addresses);

  // The frames of the site with this number, without the bit that marks it.
  // Looked for once: debug information is slow to read.
  const std::vector<CodeFrame>& frames(uint32_t number);
  // The file of the module that the site is in; "" if there is none.
  std::string path(uint32_t number);
  // The variable at an address of the program's memory, or "".
  std::string variable(uint64_t address);

 private:
  struct Module {
    uint32_t base = 0;
    uint64_t bias = 0;
    uint64_t first = 0;  // of its memory
    uint64_t last = 0;
    uint64_t code = 0;
    std::string path;
    std::unique_ptr<DebugInfo> info;  // read when it is needed
  };
  Module* module_of(uint32_t number);
  const DebugInfo& info_of(Module& module);

  std::vector<Module> modules_;  // in order of their bases
  std::unordered_map<uint32_t, std::vector<CodeFrame>> frames_;
};

}  // namespace foretrace
