#include "runtime/filter.h"

#include <cstring>

namespace foretrace::runtime {

void Filter::clear() {
  for (uint64_t page = 0; page < sizeof memory_->used; ++page) {
    if (memory_->used[page] == 0) continue;
    std::memset(memory_->entries + (page << kPageShift), 0, sizeof(FilterEntry) << kPageShift);
    memory_->used[page] = 0;
  }
  epoch_ = 1;
  first_ = 1;
}

}  // namespace foretrace::runtime
