// The hooks that GCC and Clang put before accesses with -fsanitize=thread, in all the
// forms in which compilers have them. They have no site: the place is where they return
// to, or what they are told. Included once by a library that defines them, behind
//
//   FORETRACE_ACCESS(write, size, pointer, site)         an access of 1 to 16 bytes
//   FORETRACE_VOLATILE(write, size, pointer, site)       the same of a volatile object
//   FORETRACE_RANGE(write, bytes, pointer, site)         one of any length
#pragma once

#include "runtime/real.h"
#include "runtime/site.h"

#define FORETRACE_HERE foretrace::runtime::SiteRef::before(__builtin_return_address(0))
#define FORETRACE_AT(pc) foretrace::runtime::SiteRef::before(pc)

#define FORETRACE_ONE(name, what, write, size) \
  FORETRACE_INTERCEPT void name(const void* p) { what(write, size, p, FORETRACE_HERE); }
#define FORETRACE_BOTH(name, size)                    \
  FORETRACE_INTERCEPT void name(const void* p) {      \
    FORETRACE_ACCESS(false, size, p, FORETRACE_HERE); \
    FORETRACE_ACCESS(true, size, p, FORETRACE_HERE);  \
  }
#define FORETRACE_PC(name, write, size)                          \
  FORETRACE_INTERCEPT void name(const void* p, const void* pc) { \
    FORETRACE_ACCESS(write, size, p, FORETRACE_AT(pc));          \
  }
#define FORETRACE_SIZE(size)                                                           \
  FORETRACE_ONE(__tsan_read##size, FORETRACE_ACCESS, false, size)                      \
  FORETRACE_ONE(__tsan_write##size, FORETRACE_ACCESS, true, size)                      \
  FORETRACE_BOTH(__tsan_read_write##size, size)                                        \
  FORETRACE_ONE(__tsan_volatile_read##size, FORETRACE_VOLATILE, false, size)           \
  FORETRACE_ONE(__tsan_volatile_write##size, FORETRACE_VOLATILE, true, size)           \
  FORETRACE_ONE(__tsan_unaligned_read##size, FORETRACE_ACCESS, false, size)            \
  FORETRACE_ONE(__tsan_unaligned_write##size, FORETRACE_ACCESS, true, size)            \
  FORETRACE_BOTH(__tsan_unaligned_read_write##size, size)                              \
  FORETRACE_ONE(__tsan_unaligned_volatile_read##size, FORETRACE_VOLATILE, false, size) \
  FORETRACE_ONE(__tsan_unaligned_volatile_write##size, FORETRACE_VOLATILE, true, size) \
  FORETRACE_PC(__tsan_read##size##_pc, false, size)                                    \
  FORETRACE_PC(__tsan_write##size##_pc, true, size)
FORETRACE_SIZE(1)
FORETRACE_SIZE(2)
FORETRACE_SIZE(4)
FORETRACE_SIZE(8)
FORETRACE_SIZE(16)

FORETRACE_INTERCEPT void __tsan_read_range(const void* p, unsigned long bytes) {
  FORETRACE_RANGE(false, bytes, p, FORETRACE_HERE);
}
FORETRACE_INTERCEPT void __tsan_write_range(const void* p, unsigned long bytes) {
  FORETRACE_RANGE(true, bytes, p, FORETRACE_HERE);
}
FORETRACE_INTERCEPT void __tsan_read_range_pc(const void* p, unsigned long bytes, const void* pc) {
  FORETRACE_RANGE(false, bytes, p, FORETRACE_AT(pc));
}
FORETRACE_INTERCEPT void __tsan_write_range_pc(const void* p, unsigned long bytes, const void* pc) {
  FORETRACE_RANGE(true, bytes, p, FORETRACE_AT(pc));
}

// Pointers to tables of virtual functions. A destructor that writes the value
// that is there already changes nothing.
FORETRACE_INTERCEPT void __tsan_vptr_read(void** p) {
  FORETRACE_ACCESS(false, 8, static_cast<const void*>(p), FORETRACE_HERE);
}
FORETRACE_INTERCEPT void __tsan_vptr_update(void** p, void* value) {
  if (*p != value) FORETRACE_ACCESS(true, 8, static_cast<const void*>(p), FORETRACE_HERE);
}

FORETRACE_INTERCEPT void __tsan_external_read(const void* p, const void* caller, void* /*tag*/) {
  FORETRACE_ACCESS(false, 1, p, FORETRACE_AT(caller));
}
FORETRACE_INTERCEPT void __tsan_external_write(const void* p, const void* caller, void* /*tag*/) {
  FORETRACE_ACCESS(true, 1, p, FORETRACE_AT(caller));
}
