#include "steering/modules.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace foretrace::steering {
namespace {

char program[4096];

const char* program_path() {
  // Two threads that do this at the same time write the same.
  if (program[0] == '\0') (void)!::readlink("/proc/self/exe", program, sizeof program - 1);
  return program;
}

}  // namespace

#ifdef FORETRACE_STATIC

extern "C" const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

// All code is the program's. One that can be anywhere says where in its header.
CodePoint point_of(uint64_t address) {
  const uint64_t base =
      __ehdr_start.e_type == ET_DYN ? reinterpret_cast<uint64_t>(&__ehdr_start) : 0;
  return {program_path(), address - base, base};
}

#else

namespace {

// It takes no lock, unlike dladdr(); glibc has it since 2.35. Looked up before main: later,
// dlsym() would take away what the program's dlerror() has to say.
using Find = int(void*, dl_find_object*);
Find* find = nullptr;

__attribute__((constructor(101))) void look_up_find() {
  find = reinterpret_cast<Find*>(::dlsym(RTLD_DEFAULT, "_dl_find_object"));
  if (find == nullptr) ::dlerror();
}

}  // namespace

CodePoint point_of(uint64_t address) {
  const link_map* map = nullptr;
  dl_find_object found;
  if (find != nullptr && find(reinterpret_cast<void*>(address), &found) == 0) {
    map = found.dlfo_link_map;
  } else if (find == nullptr) {
    Dl_info info;
    void* extra = nullptr;
    if (::dladdr1(reinterpret_cast<void*>(address), &info, &extra, RTLD_DL_LINKMAP) != 0) {
      map = static_cast<const link_map*>(extra);
    }
  }
  if (map == nullptr) return {"", 0, 0};
  return {map->l_name[0] != '\0' ? map->l_name : program_path(), address - map->l_addr,
          map->l_addr};
}

#endif

}  // namespace foretrace::steering
