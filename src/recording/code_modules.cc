#include "recording/code_modules.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace foretrace {

void CodeModules::add(uint32_t base, const std::string& path, const std::string& addresses) {
  Module module;
  module.base = base;
  module.path = path;
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the runtime wrote them.
  if (std::sscanf(addresses.c_str(), "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &module.bias,
                  &module.first, &module.last, &module.code) == 4) {
    modules_.push_back(std::move(module));
  }
}

const DebugInfo& CodeModules::info_of(Module& module) {
  if (module.info == nullptr) module.info = std::make_unique<DebugInfo>(module.path);
  return *module.info;
}

CodeModules::Module* CodeModules::module_of(uint32_t number) {
  const auto next =
      std::upper_bound(modules_.begin(), modules_.end(), number,
                       [](uint32_t value, const Module& module) { return value < module.base; });
  return next != modules_.begin() ? &*std::prev(next) : nullptr;
}

const std::vector<CodeFrame>& CodeModules::frames(uint32_t number) {
  const auto [known, is_new] = frames_.try_emplace(number);
  Module* const module = module_of(number);
  if (is_new && module != nullptr) {
    known->second = info_of(*module).frames(module->code + (number - module->base) - module->bias);
  }
  return known->second;
}

std::string CodeModules::path(uint32_t number) {
  const Module* const module = module_of(number);
  return module != nullptr ? module->path : "";
}

// The latest module first: it may lie where one was that is gone.
std::string CodeModules::variable(uint64_t address) {
  for (auto module = modules_.rbegin(); module != modules_.rend(); ++module) {
    if (address >= module->first && address < module->last) {
      return info_of(*module).variable(address - module->bias);
    }
  }
  return "";
}

}  // namespace foretrace
