// The hooks that the compiler plugin puts in front of writes and behind reads.
#include "steering/access.h"

#include <algorithm>
#include <cstring>

#include "runtime/compared.h"
#include "runtime/number_text.h"
#include "runtime/real.h"
#include "steering/healing.h"
#include "steering/noise.h"
#include "steering/report.h"
#include "steering/script.h"
#include "steering/units.h"
#include "steering/windows.h"

namespace foretrace::steering {
namespace {

void heal(const SectionAccess& access) {
  settle_calls(access.frame);
  heal_in_front(access);
  if (access.position == Position::behind) {
    heal_behind(access);
  } else {
    heal_behind_later(access);
  }
}

// The window is open until the end of the hook, with the noise inside. A section
// is made longer by noise behind its entry and in front of its end.
void watch(const SectionAccess& access, uint64_t bytes) {
  Slot& slot = *self.slot;
  slot.hooks.store(slot.hooks.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  settle_calls(access.frame);
  if (has_units) note_unit_access(access.address, access.write, access.site);
  if (has_sections) note_access(access);
  const bool is_inside = has_sections && is_in_section(access.address);
  if (has_sections && !is_inside) begin_section(access);
  {
    const Window window(access.address, bytes, access.write, access.site, access.frame);
    if (has_noise) make_noise(access.address, access.write, access.site);
    if (has_script) follow_script_at_access(access.write, access.site);
  }
  if (!is_inside) return;
  end_section(access);
  begin_section(access);
}

}  // namespace

void steer_access(uint64_t address, uint64_t bytes, bool write, SiteRef site, Position position,
                  uint64_t frame) {
  // A program that nobody steers should hardly notice that it could be.
  if (!steering_on.load(std::memory_order_relaxed) || bytes == 0) return;
  if (pass_by_several(address, bytes, write, site, frame)) return;
  const Entry entry;
  if (!entry || self.ignoring != 0 || is_volatile(site)) return;
  const SectionAccess access = {address, write, site, frame, position};
  if (settings().healing == Healing::none) {
    watch(access, bytes);
  } else if (place_of(site).purposes != 0) {
    heal(access);
  } else {
    settle_healing();
  }
}

}  // namespace foretrace::steering

using foretrace::runtime::GroupMember;
using foretrace::runtime::ReadGroup;
using foretrace::steering::access;
using foretrace::steering::Position;
using foretrace::steering::Site;
using foretrace::steering::steering_on;

// A loop that is foreseen is nothing special here, and pairs have hooks of their own for the read
// and the write.
#define FORETRACE_SIZE(size)                                                                      \
  FORETRACE_INTERCEPT void __foretrace_read##size(const void* p, const Site* site) {              \
    access(p, size, false, site, Position::behind);                                               \
  }                                                                                               \
  FORETRACE_INTERCEPT void __foretrace_write##size(const void* p, const Site* site) {             \
    access(p, size, true, site, Position::in_front);                                              \
  }                                                                                               \
  FORETRACE_INTERCEPT void __foretrace_update##size(const void* p, const Site* site) {            \
    access(p, size, false, site, Position::behind);                                               \
    access(p, size, true, site, Position::in_front);                                              \
  }                                                                                               \
  FORETRACE_INTERCEPT void __foretrace_read##size##_foreseen(const void* p, const Site* site) {   \
    access(p, size, false, site, Position::behind);                                               \
  }                                                                                               \
  FORETRACE_INTERCEPT void __foretrace_write##size##_foreseen(const void* p, const Site* site) {  \
    access(p, size, true, site, Position::in_front);                                              \
  }                                                                                               \
  FORETRACE_INTERCEPT void __foretrace_update##size##_foreseen(const void* p, const Site* site) { \
    access(p, size, false, site, Position::behind);                                               \
    access(p, size, true, site, Position::in_front);                                              \
  }                                                                                               \
  FORETRACE_INTERCEPT void __foretrace_update##size##_pair(const void*, const void*) {}           \
  FORETRACE_INTERCEPT void __foretrace_update##size##_pair_foreseen(const void*, const void*) {}
FORETRACE_SIZE(1)
FORETRACE_SIZE(2)
FORETRACE_SIZE(4)
FORETRACE_SIZE(8)
FORETRACE_SIZE(16)

// While threads are steered, the reads of a group have hooks of their own.
FORETRACE_INTERCEPT void __foretrace_read_parts(const void* /*p*/, uint64_t /*bytes*/,
                                                const void* /*group*/) {}
FORETRACE_INTERCEPT void __foretrace_read_range(const void* p, uint64_t bytes, const Site* site) {
  access(p, bytes, false, site, Position::behind);
}
FORETRACE_INTERCEPT void __foretrace_write_range(const void* p, uint64_t bytes, const Site* site) {
  access(p, bytes, true, site, Position::in_front);
}
// One by one: between them is memory that may be another thread's.
FORETRACE_INTERCEPT void __foretrace_read_strided(const char* p, int64_t step, uint64_t rounds,
                                                  uint32_t bytes, const Site* site) {
  for (; rounds > 0; --rounds, p += step) access(p, bytes, false, site, Position::behind);
}
FORETRACE_INTERCEPT void __foretrace_write_strided(const char* p, int64_t step, uint64_t rounds,
                                                   uint32_t bytes, const Site* site) {
  for (; rounds > 0; --rounds, p += step) access(p, bytes, true, site, Position::in_front);
}
// In the order of the rounds.
__attribute__((always_inline)) inline void access_parts(const char* p, int64_t step,
                                                        uint64_t rounds, const ReadGroup& group,
                                                        bool write, Position position) {
  for (; rounds > 0; --rounds, p += step) {
    for (uint32_t i = 0; i < group.count; ++i) {
      const GroupMember& part = group.members[i];
      access(p + part.offset, part.bytes, write, part.site, position);
    }
  }
}
FORETRACE_INTERCEPT void __foretrace_read_strided_parts(const char* p, int64_t step,
                                                        uint64_t rounds, uint32_t,
                                                        const ReadGroup* group) {
  access_parts(p, step, rounds, *group, false, Position::behind);
}
FORETRACE_INTERCEPT void __foretrace_write_strided_parts(const char* p, int64_t step,
                                                         uint64_t rounds, uint32_t,
                                                         const ReadGroup* group) {
  access_parts(p, step, rounds, *group, true, Position::in_front);
}
// Only the recorder asks.
FORETRACE_INTERCEPT bool __foretrace_is_range_written(const void*, uint64_t) { return false; }
FORETRACE_INTERCEPT bool __foretrace_is_strided_written(const void*, int64_t, uint64_t, uint32_t) {
  return false;
}
FORETRACE_INTERCEPT bool __foretrace_may_reach(const void*, uint64_t, uint64_t) { return false; }
FORETRACE_INTERCEPT void __foretrace_read_string(const char* text, uint64_t most,
                                                 const Site* site) {
  if (!steering_on.load(std::memory_order_relaxed) || text == nullptr) return;
  const uint64_t length = ::strnlen(text, most);
  access(text, std::min(length + 1, most), false, site, Position::in_front);
}
FORETRACE_INTERCEPT void __foretrace_read_number(const char* text, uint64_t base,
                                                 const Site* site) {
  if (!steering_on.load(std::memory_order_relaxed) || text == nullptr) return;
  access(text, foretrace::runtime::number_bytes(text, base), false, site, Position::in_front);
}
FORETRACE_INTERCEPT void __foretrace_copy_string(char* target, const char* text, uint64_t most,
                                                 const Site* site) {
  if (!steering_on.load(std::memory_order_relaxed) || text == nullptr) return;
  access(target, most != UINT64_MAX ? most : ::strlen(text) + 1, true, site, Position::in_front);
}
FORETRACE_INTERCEPT void __foretrace_compare_string(const char* text, const char* other,
                                                    uint64_t most, const Site* site) {
  if (!steering_on.load(std::memory_order_relaxed)) return;
  access(text, foretrace::runtime::compared_bytes(text, other, most), false, site,
         Position::in_front);
}
FORETRACE_INTERCEPT void __foretrace_append_string(char* target, const char* text, uint64_t most,
                                                   const Site* site) {
  if (!steering_on.load(std::memory_order_relaxed)) return;
  const uint64_t length = ::strlen(target);
  access(target, length + 1, false, site, Position::in_front);
  access(target + length, ::strnlen(text, most) + 1, true, site, Position::in_front);
}

// What was called from the same function before is below the address that this one returns to.
FORETRACE_INTERCEPT void __foretrace_entry(const void* caller, const void* return_place) {
  foretrace::steering::enter_function(FORETRACE_FRAME, reinterpret_cast<uint64_t>(return_place),
                                      caller);
}
FORETRACE_INTERCEPT void __foretrace_steering_read(const void* p, uint64_t bytes,
                                                   const Site* site) {
  access(p, bytes, false, site, Position::behind);
}
FORETRACE_INTERCEPT void __foretrace_loop(const char* /*loop*/) {}
FORETRACE_INTERCEPT void __foretrace_call(const Site* site) {
  foretrace::steering::self.call_site = site;
}

// ---- programs that were built to be healed: hooks on both sides, where sections
// begin and end, and nowhere else

FORETRACE_INTERCEPT void __foretrace_section_front(const void* p, uint32_t write,
                                                   const Site* site) {
  using namespace foretrace::steering;
  if (!steering_on.load(std::memory_order_relaxed)) return;
  const Entry entry;
  if (!entry) return;
  heal_in_front(
      {reinterpret_cast<uint64_t>(p), write != 0, site, FORETRACE_FRAME, Position::in_front});
}
FORETRACE_INTERCEPT void __foretrace_section_behind(const void* p, uint32_t write,
                                                    const Site* site) {
  using namespace foretrace::steering;
  if (!steering_on.load(std::memory_order_relaxed)) return;
  const Entry entry;
  if (!entry) return;
  heal_behind({reinterpret_cast<uint64_t>(p), write != 0, site, FORETRACE_FRAME, Position::behind});
}
// In front of every return of a function with such hooks.
FORETRACE_INTERCEPT void __foretrace_section_left() {
  using namespace foretrace::steering;
  if (!steering_on.load(std::memory_order_relaxed) || self.open_count == 0) return;
  const Entry entry;
  // The frame of this hook is that of the others in the function.
  if (entry) leave_returned_sections(FORETRACE_FRAME + 1);
}
