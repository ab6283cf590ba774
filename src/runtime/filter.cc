#include "runtime/filter.h"

#include <cstring>

namespace foretrace::runtime {

void Filter::clear() {
  FilterEntry* entries = memory_->entries;
  for (uint64_t& used : memory_->used) {
    for (; used != 0; used &= used - 1) {
      const auto line = static_cast<uint64_t>(__builtin_ctzll(used));
      std::memset(entries + (line << kLineShift), 0, sizeof(FilterEntry) << kLineShift);
    }
    entries += uint64_t{1} << kBitsShift << kLineShift;
  }
  epoch_ = 1;
  first_ = 1;
}

}  // namespace foretrace::runtime
