#include "runtime/names.h"

#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/modules.h"
#include "runtime/process.h"
#include "runtime/recorder.h"
#include "runtime/spin_lock.h"

namespace foretrace::runtime {

using recording::kNamesBytes;
using recording::NameEntry;
using recording::NameKind;
using recording::NamesHeader;

namespace {

// Null is an empty text; most have one (stacks).
size_t text_bytes(const char* text) { return text == nullptr ? 1 : std::strlen(text) + 1; }

char* append_text(char* target, const char* text) {
  const size_t bytes = text_bytes(text);
  if (bytes == 1) {
    *target = '\0';
  } else {
    std::memcpy(target, text, bytes);
  }
  return target + bytes;
}

struct NameText {
  const char* parts[5];
  size_t bytes() const {
    size_t sum = 0;
    for (const char* part : parts) sum += text_bytes(part);
    return sum;
  }
};

// Once they are, it is not asked again: a site without a number asks at each of its accesses.
bool are_full = false;

bool make_room_for_names(uint64_t from, uint64_t bytes) {
  const KeepErrno keep;
  char name[32];
  std::snprintf(name, sizeof name, "n%u", process.header->names);
  const long opened = ::syscall(SYS_openat, AT_FDCWD, SharedPath(name).text, O_RDWR | O_CLOEXEC, 0);
  if (opened < 0) return false;
  const bool has = has_room(static_cast<int>(opened), from, bytes);
  ::syscall(SYS_close, static_cast<int>(opened));
  return has;
}

// Room is made by parts.
bool has_room_for_names(uint64_t used, uint64_t bytes) {
  constexpr uint64_t kPart = 64 << 10;
  const uint64_t now = sizeof(NamesHeader) + used;
  if (are_full || now + bytes > kNamesBytes) return false;
  const uint64_t part = (now + bytes) / kPart;
  are_full = part != now / kPart && !make_room_for_names(part * kPart, kPart);
  return !are_full;
}

// Adds an entry; the caller holds the lock of the names.
bool add_name(NameEntry entry, const NameText& text) {
  NamesHeader& names = *process.names;
  const uint64_t used = names.used.load(std::memory_order_relaxed);
  const size_t bytes = (sizeof(NameEntry) + text.bytes() + 7) & ~size_t{7};
  if (!has_room_for_names(used, bytes)) return false;
  char* const place = reinterpret_cast<char*>(&names + 1) + used;
  entry.bytes = static_cast<uint32_t>(bytes);
  std::memcpy(place, &entry, sizeof entry);
  char* end = place + sizeof entry;
  for (const char* part : text.parts) end = append_text(end, part);
  names.used.store(used + bytes, std::memory_order_release);
  return true;
}

// What the group reads; false: there is a site without a number, or more than that.
bool describe(const ReadGroup& group, char* text, size_t most) {
  size_t used = 0;
  for (uint32_t i = 0; i < group.count; ++i) {
    const GroupMember& member = group.members[i];
    const uint32_t site = number_of(member.site);
    if (site == 0) return false;
    const int length =
        std::snprintf(text + used, most - used, "%u %u %u ", member.offset, member.bytes, site);
    if (length < 0 || static_cast<size_t>(length) >= most - used) return false;
    used += static_cast<size_t>(length);
  }
  return true;
}

}  // namespace

uint32_t find_number(SiteRef ref) {
  if (ref.is_code()) return code_number(ref.code());
  const Site* const site = ref.site();
  if (site == nullptr) return 0;
  auto* const number = const_cast<uint32_t*>(&site->number);
  const uint32_t known = __atomic_load_n(number, __ATOMIC_ACQUIRE);
  if (known != 0) return known;
  const SpinGuard guard(process.names->lock);
  const uint32_t again = __atomic_load_n(number, __ATOMIC_ACQUIRE);
  if (again != 0) return again;
  const uint32_t fresh = process.names->next_site.load();
  if (!add_name({0, NameKind::site, fresh, site->line, site->column, site->element},
                {{site->file, site->function, site->what, library_of(site), site->inlined}})) {
    return 0;
  }
  process.names->next_site.store(fresh + 1);
  __atomic_store_n(number, fresh, __ATOMIC_RELEASE);
  return fresh;
}

uint32_t find_number(ReadGroup& group) {
  char text[1024];  // for more members than a group has
  if (!describe(group, text, sizeof text)) return 0;
  const SpinGuard guard(process.names->lock);
  const uint32_t known = __atomic_load_n(&group.number, __ATOMIC_ACQUIRE);
  if (known != 0) return known;
  const uint32_t fresh = process.names->next_group.load();
  if (!add_name({0, NameKind::group, fresh, 0, 0, 0}, {{text}})) return 0;
  process.names->next_group.store(fresh + 1);
  __atomic_store_n(&group.number, fresh, __ATOMIC_RELEASE);
  return fresh;
}

uint32_t new_label(const char* label) {
  const Entry entry;  // keeps signal handlers out while the lock is held
  if (!entry) return 0;
  const SpinGuard guard(process.names->lock);
  const uint32_t fresh = process.names->next_label.load();
  if (!add_name({0, NameKind::label, fresh, 0, 0, 0}, {{label}})) return 0;
  process.names->next_label.store(fresh + 1);
  return fresh;
}

void name_thread(const char* name) {
  const Entry entry;
  if (!entry) return;
  const SpinGuard guard(process.names->lock);
  add_name({0, NameKind::thread, self.number, process.number, 0, 0}, {{name}});
}

uint32_t new_stack(uint32_t parent, uint32_t place, uint64_t most) {
  const SpinGuard guard(process.names->lock);
  const uint32_t fresh = process.names->next_stack.load();
  if (fresh > most || !add_name({0, NameKind::stack, fresh, parent, place, 0}, {})) {
    return 0;
  }
  process.names->next_stack.store(fresh + 1);
  return fresh;
}

void note_module(uint32_t base, const char* path, const char* addresses) {
  const SpinGuard guard(process.names->lock);
  add_name({0, NameKind::module, 0, base, 0, 0}, {{path, addresses}});
}

}  // namespace foretrace::runtime
