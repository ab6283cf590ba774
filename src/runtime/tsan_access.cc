// The hooks that GCC and Clang put before accesses with -fsanitize=thread. They
// have no site: the place is where they return to.
#include "runtime/access.h"
#include "runtime/call_stack.h"
#include "runtime/modules.h"
#include "runtime/real.h"

using foretrace::runtime::access;
using foretrace::runtime::access_range;
using foretrace::runtime::SiteRef;

#define FORETRACE_HERE SiteRef::before(__builtin_return_address(0))

FORETRACE_INTERCEPT void __tsan_init() { foretrace::runtime::find_modules(); }
FORETRACE_INTERCEPT void __tsan_func_entry(const void* caller) {
  foretrace::runtime::enter_function(FORETRACE_FRAME, caller);
}
FORETRACE_INTERCEPT void __tsan_func_exit() {}

// Accesses of a size, in all the forms in which compilers have them.
#define FORETRACE_READ(name, size) \
  FORETRACE_INTERCEPT void name(const void* p) { access<false, size>(p, FORETRACE_HERE); }
#define FORETRACE_WRITE(name, size) \
  FORETRACE_INTERCEPT void name(const void* p) { access<true, size>(p, FORETRACE_HERE); }
#define FORETRACE_BOTH(name, size)               \
  FORETRACE_INTERCEPT void name(const void* p) { \
    access<false, size>(p, FORETRACE_HERE);      \
    access<true, size>(p, FORETRACE_HERE);       \
  }
#define FORETRACE_PC(name, write, size)                          \
  FORETRACE_INTERCEPT void name(const void* p, const void* pc) { \
    access<write, size>(p, SiteRef::before(pc));                 \
  }
#define FORETRACE_SIZE(size)                                   \
  FORETRACE_READ(__tsan_read##size, size)                      \
  FORETRACE_WRITE(__tsan_write##size, size)                    \
  FORETRACE_BOTH(__tsan_read_write##size, size)                \
  FORETRACE_READ(__tsan_volatile_read##size, size)             \
  FORETRACE_WRITE(__tsan_volatile_write##size, size)           \
  FORETRACE_READ(__tsan_unaligned_read##size, size)            \
  FORETRACE_WRITE(__tsan_unaligned_write##size, size)          \
  FORETRACE_BOTH(__tsan_unaligned_read_write##size, size)      \
  FORETRACE_READ(__tsan_unaligned_volatile_read##size, size)   \
  FORETRACE_WRITE(__tsan_unaligned_volatile_write##size, size) \
  FORETRACE_PC(__tsan_read##size##_pc, false, size)            \
  FORETRACE_PC(__tsan_write##size##_pc, true, size)
FORETRACE_SIZE(1)
FORETRACE_SIZE(2)
FORETRACE_SIZE(4)
FORETRACE_SIZE(8)
FORETRACE_SIZE(16)

FORETRACE_INTERCEPT void __tsan_read_range(const void* p, unsigned long bytes) {
  access_range<false>(p, bytes, FORETRACE_HERE);
}
FORETRACE_INTERCEPT void __tsan_write_range(const void* p, unsigned long bytes) {
  access_range<true>(p, bytes, FORETRACE_HERE);
}
FORETRACE_INTERCEPT void __tsan_read_range_pc(const void* p, unsigned long bytes, const void* pc) {
  access_range<false>(p, bytes, SiteRef::before(pc));
}
FORETRACE_INTERCEPT void __tsan_write_range_pc(const void* p, unsigned long bytes, const void* pc) {
  access_range<true>(p, bytes, SiteRef::before(pc));
}

// Pointers to tables of virtual functions. A destructor that writes the value
// that is there already changes nothing.
FORETRACE_INTERCEPT void __tsan_vptr_read(void** p) { access<false, 8>(p, FORETRACE_HERE); }
FORETRACE_INTERCEPT void __tsan_vptr_update(void** p, void* value) {
  if (*p != value) access<true, 8>(p, FORETRACE_HERE);
}

FORETRACE_INTERCEPT void __tsan_external_read(const void* p, const void* caller, void* /*tag*/) {
  access<false, 1>(p, SiteRef::before(caller));
}
FORETRACE_INTERCEPT void __tsan_external_write(const void* p, const void* caller, void* /*tag*/) {
  access<true, 1>(p, SiteRef::before(caller));
}
FORETRACE_INTERCEPT void* __tsan_external_register_tag(const char* /*name*/) { return nullptr; }
FORETRACE_INTERCEPT void __tsan_external_register_header(void* /*tag*/, const char* /*header*/) {}
FORETRACE_INTERCEPT void __tsan_external_assign_tag(void* /*p*/, void* /*tag*/) {}
