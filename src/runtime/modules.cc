#include "runtime/modules.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "runtime/real.h"
#include "runtime/recorder.h"
#include "runtime/spin_lock.h"

namespace foretrace::runtime {
namespace {

struct Module {
  uint64_t bias;   // address in memory minus address in the file
  uint64_t first;  // of its memory
  uint64_t last;
  uint64_t code;  // the first byte of its code
  uint64_t code_end;
  const char* path;
  bool sanitizer;  // its hooks are those of -fsanitize=thread
};

// A place in the table, found by the code's addresses. `end` 0: its module is
// gone, another one lies there.
struct Known {
  std::atomic<uint64_t> start;
  std::atomic<uint64_t> end;
  uint32_t base;
  Module module;
  char path[512];
};
constexpr uint32_t kMost = 256;
// Constants: __tsan_init comes before constructors of this library.
constinit Known known[kMost] = {};
constinit std::atomic<uint32_t> count{0};
constinit std::atomic<uint32_t> lock{0};
uint32_t noted = 0;      // how many of them were written down
uint64_t next_base = 1;  // places in all modules together

unsigned long long loaded = 0;  // how many libraries were, at the last look

void widen(Module& module, uint64_t first, uint64_t end, bool is_code) {
  module.first = module.last == 0 ? first : std::min(module.first, first);
  module.last = std::max(module.last, end);
  if (!is_code) return;
  module.code = module.code_end == 0 ? first : std::min(module.code, first);
  module.code_end = std::max(module.code_end, end);
}

// The part of a module's dynamic section that says which symbols it needs.
struct Needs {
  const ElfW(Sym) * symbols;
  const char* names;
  // Whatever it calls or uses of others has one: those of functions, and the rest.
  struct Relocations {
    const ElfW(Rela) * first;
    uint64_t bytes;
  };
  Relocations relocations[2];
};

// Addresses in the section were moved with the module, or were not: the kernel's
// own library has a read-only one.
template <typename T>
const T* moved(uint64_t bias, uint64_t address) {
  return reinterpret_cast<const T*>(address < bias ? bias + address : address);
}

Needs needs_of(uint64_t bias, const ElfW(Dyn) * entry) {
  Needs needs = {};
  for (; entry->d_tag != DT_NULL; ++entry) {
    const uint64_t address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) needs.symbols = moved<ElfW(Sym)>(bias, address);
    if (entry->d_tag == DT_STRTAB) needs.names = moved<char>(bias, address);
    if (entry->d_tag == DT_JMPREL) needs.relocations[0].first = moved<ElfW(Rela)>(bias, address);
    if (entry->d_tag == DT_PLTRELSZ) needs.relocations[0].bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) needs.relocations[1].first = moved<ElfW(Rela)>(bias, address);
    if (entry->d_tag == DT_RELASZ) needs.relocations[1].bytes = entry->d_un.d_val;
  }
  return needs;
}

bool needs_symbol(const Needs& needs, const char* wanted) {
  if (needs.symbols == nullptr || needs.names == nullptr) return false;
  for (const Needs::Relocations& some : needs.relocations) {
    if (some.first == nullptr) continue;
    for (uint64_t i = 0; i < some.bytes / sizeof *some.first; ++i) {
      const auto& symbol = needs.symbols[ELF64_R_SYM(some.first[i].r_info)];
      if (symbol.st_shndx == SHN_UNDEF && std::strcmp(needs.names + symbol.st_name, wanted) == 0) {
        return true;
      }
    }
  }
  return false;
}

Module module_of(const dl_phdr_info& info) {
  Module module = {info.dlpi_addr, 0, 0, 0, 0, info.dlpi_name, false};
  for (uint16_t i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t first = info.dlpi_addr + segment.p_vaddr;
    widen(module, first, first + segment.p_memsz, (segment.p_flags & PF_X) != 0);
  }
  return module;
}

void copy_path(Known& place, const char* path) {
  place.path[0] = '\0';
  if (path != nullptr && path[0] != '\0') {
    std::snprintf(place.path, sizeof place.path, "%s", path);
    return;
  }
  const ssize_t length = ::readlink("/proc/self/exe", place.path, sizeof place.path - 1);
  place.path[std::max<ssize_t>(0, length)] = '\0';
}

void note(const Known& place) {
  char addresses[96];
  std::snprintf(addresses, sizeof addresses, "%lx %lx %lx %lx", place.module.bias,
                place.module.first, place.module.last, place.module.code);
  note_module(place.base, place.path, addresses);
}

void note_new() {
  for (; noted < count.load(std::memory_order_relaxed); ++noted) note(known[noted]);
}

void append(const Module& module) {
  const uint32_t number = count.load(std::memory_order_relaxed);
  const uint64_t bytes = module.code_end - module.code;
  if (number == kMost || next_base + bytes >= recording::kCodeSite) return;
  for (uint32_t i = 0; i < number; ++i) {
    if (known[i].start < module.code_end && module.code < known[i].end) known[i].end = 0;
  }
  Known& place = known[number];
  place.module = module;
  place.base = static_cast<uint32_t>(next_base);
  copy_path(place, module.path);
  place.start = module.code;
  place.end = module.code_end;
  next_base += bytes;
  count.store(number + 1, std::memory_order_release);
}

const Known* find(uint64_t address) {
  const uint32_t number = count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < number; ++i) {
    if (address >= known[i].start.load(std::memory_order_relaxed) &&
        address < known[i].end.load(std::memory_order_relaxed)) {
      return &known[i];
    }
  }
  return nullptr;
}

void append_new(const Module& module) {
  const Known* const same = find(module.code);
  if (same == nullptr || same->module.bias != module.bias || same->end != module.code_end) {
    append(module);
  }
}

// Code with hooks asks for them by their names; a program that is linked
// statically has them.
void append_if_hooked(const dl_phdr_info& info) {
  if (kLinkedStatically) {
    if (info.dlpi_name == nullptr || info.dlpi_name[0] == '\0') append_new(module_of(info));
    return;
  }
  for (uint16_t i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto* const dynamic =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + segment.p_vaddr);
    const Needs needs = needs_of(info.dlpi_addr, dynamic);
    Module module = module_of(info);
    module.sanitizer = needs_symbol(needs, "__tsan_init");
    if (!module.sanitizer && !needs_symbol(needs, "__foretrace_entry")) return;
    append_new(module);
  }
}

// It takes no lock, unlike dladdr(); glibc has it since 2.35. Looked up at the start, for
// dlerror() (see next_function.h).
using FindObject = int(void*, dl_find_object*);
FindObject* find_object = nullptr;

// dl_iterate_phdr() calls this for each module, with all of them locked.
int look_at(dl_phdr_info* info, size_t /*size*/, void* data) {
  if (info->dlpi_adds == loaded) return 1;
  append_if_hooked(*info);
  *static_cast<unsigned long long*>(data) = info->dlpi_adds;
  return 0;
}

}  // namespace

void find_modules() {
  const BlockHandlers block;  // none leaves libc's lock of the modules locked
  // Another thread that looks will find the same.
  if (lock.exchange(1, std::memory_order_acquire) != 0) return;
  const KeepErrno keep;
  unsigned long long now = loaded;
  ::dl_iterate_phdr(look_at, &now);
  loaded = now;
  if (recording_on.load(std::memory_order_relaxed)) note_new();
  lock.store(0, std::memory_order_release);
}

void release_modules() { lock.store(0, std::memory_order_relaxed); }

void start_modules() {
  if (!kLinkedStatically) {
    find_object = reinterpret_cast<FindObject*>(::dlsym(RTLD_DEFAULT, "_dl_find_object"));
  }
  find_modules();
  const SpinGuard guard(lock);
  note_new();  // what was added before the session was there
}

const char* library_of(const void* address) {
  dl_find_object found;
  if (find_object == nullptr || find_object(const_cast<void*>(address), &found) != 0) return "";
  return found.dlfo_link_map != nullptr ? found.dlfo_link_map->l_name : "";
}

bool has_sanitizer_hooks(uint64_t code_address) {
  const Known* const place = find(code_address);
  return place != nullptr && place->module.sanitizer;
}

uint32_t code_number(uint64_t code_address) {
  const Known* const place = find(code_address);
  if (place == nullptr) return 0;
  const uint64_t distance = code_address - place->start.load(std::memory_order_relaxed);
  return recording::kCodeSite | static_cast<uint32_t>(place->base + distance);
}

}  // namespace foretrace::runtime
