// Accesses to many bytes at once: what a library function, or a loop, reads or writes.
#pragma once

#include <cstdint>

#include "runtime/access.h"

namespace foretrace::runtime {

// No shorter range is known as a whole: what is known of the granules of those is enough.
inline constexpr uint64_t kWholeRange = 1024;

// Records the accesses of `rounds` rounds of a loop: the first one at `address`, each `step`
// bytes behind the one before, or in front of it.
template <bool kWrite>
void record_strided(uint64_t address, int64_t step, uint64_t rounds, uint32_t bytes, SiteRef site);
// The same for accesses side by side, of so many bytes together.
template <bool kWrite>
void record_strided_parts(uint64_t address, int64_t step, uint64_t rounds, uint32_t bytes,
                          const ReadGroup& parts);

// Whether the thread has recorded writes of all of such bytes or elements, and nobody has touched
// them since. False: it may be otherwise.
bool is_range_written(uint64_t address, uint64_t bytes);
bool is_strided_written(uint64_t address, int64_t step, uint64_t rounds, uint32_t bytes);

// Whether a few bytes side by side are repeated. False: it may be otherwise.
inline constexpr uint64_t kShortRange = 64;
template <bool kWrite>
__attribute__((always_inline)) inline bool is_short_range_repeated(uint64_t address,
                                                                   uint64_t bytes) {
  return bytes <= kShortRange && self.filter.is_started() &&
         visit_granules(address, ~uint64_t{0} >> (kShortRange - bytes), are_repeated<kWrite>);
}

template <bool kWrite>
__attribute__((always_inline)) inline void access_range(const void* pointer, uint64_t bytes,
                                                        SiteRef site) {
  if (bytes == 0 || !recording_on.load(std::memory_order_relaxed)) return;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (is_short_range_repeated<kWrite>(address, bytes)) return;
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  record_range<kWrite>(address, bytes, site);
}

template <bool kWrite>
__attribute__((always_inline)) inline void access_strided(const void* pointer, int64_t step,
                                                          uint64_t rounds, uint32_t bytes,
                                                          SiteRef site) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  record_strided<kWrite>(reinterpret_cast<uint64_t>(pointer), step, rounds, bytes, site);
}

template <bool kWrite>
__attribute__((always_inline)) inline void access_strided_parts(const void* pointer, int64_t step,
                                                                uint64_t rounds, uint32_t bytes,
                                                                const ReadGroup& parts) {
  if (rounds == 0 || !recording_on.load(std::memory_order_relaxed)) return;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (step == bytes && is_short_range_repeated<kWrite>(address, rounds * bytes)) return;
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  record_strided_parts<kWrite>(address, step, rounds, bytes, parts);
}

__attribute__((always_inline)) inline bool is_written(const void* pointer, uint64_t bytes) {
  if (bytes == 0) return true;
  if (!recording_on.load(std::memory_order_relaxed)) return false;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  return bytes <= kShortRange ? is_short_range_repeated<true>(address, bytes)
                              : is_range_written(address, bytes);
}

__attribute__((always_inline)) inline bool is_written(const void* pointer, int64_t step,
                                                      uint64_t rounds, uint32_t bytes) {
  if (rounds == 0) return true;
  if (step == bytes) return is_written(pointer, rounds * bytes);
  return recording_on.load(std::memory_order_relaxed) &&
         is_strided_written(reinterpret_cast<uint64_t>(pointer), step, rounds, bytes);
}

}  // namespace foretrace::runtime
