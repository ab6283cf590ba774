// memcpy(), fgets() and the like, where code calls them that was compiled with
// -fsanitize=thread: such code has no hook for them. What other code copies is
// not recorded: the synchronisation around it may not be seen either.
//
// Written without <cstring>, whose overloads for C++ are other functions.
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "runtime/compared.h"
#include "runtime/modules.h"
#include "runtime/next_function.h"
#include "runtime/number_text.h"
#include "runtime/ranges.h"
#include "runtime/real.h"

namespace foretrace::runtime {
namespace {

// A call from recorded code.
class Call {
 public:
  explicit Call(const void* return_address)
      : place_(SiteRef::before(return_address)),
        counts_(recording_on.load(std::memory_order_relaxed) &&
                has_sanitizer_hooks(place_.code())) {}

  __attribute__((always_inline)) void reads(const void* p, size_t bytes) const {
    if (counts_) access_range<false>(p, bytes, place_);
  }
  __attribute__((always_inline)) void writes(const void* p, size_t bytes) const {
    if (counts_) access_range<true>(p, bytes, place_);
  }
  // A string with its end, but `most` bytes at most.
  __attribute__((always_inline)) void reads_string(const char* text, size_t most = SIZE_MAX) const {
    if (counts_) access_range<false>(text, bytes_of(text, most), place_);
  }
  // A string that is copied; a limit is filled up with zeros.
  __attribute__((always_inline)) void copies_string(const char* target, const char* text) const {
    if (counts_) access_range<true>(target, bytes_of(text, SIZE_MAX), place_);
  }
  // A string behind another one, but `most` bytes of it at most.
  __attribute__((always_inline)) void appends(const char* target, const char* text,
                                              size_t most = SIZE_MAX) const {
    if (!counts_) return;
    reads_string(text, most);
    reads_string(target);
    access_range<true>(target + length_of(target, SIZE_MAX), length_of(text, most) + 1, place_);
  }
  // What was printed, with its end, as far as there is space.
  __attribute__((always_inline)) int printed(const char* target, size_t space, int length) const {
    const size_t bytes = length < 0 ? 0 : static_cast<size_t>(length) + 1;
    writes(target, bytes < space ? bytes : space);
    return length;
  }
  // Two strings, up to where they differ.
  __attribute__((always_inline)) void compares(const char* a, const char* b,
                                               size_t most = SIZE_MAX) const {
    if (!counts_) return;
    const size_t bytes = compared_bytes(a, b, most);
    access_range<false>(a, bytes, place_);
    access_range<false>(b, bytes, place_);
  }

 private:
  static size_t length_of(const char* text, size_t most) {
    size_t length = 0;
    while (length < most && text[length] != '\0') ++length;
    return length;
  }
  static size_t bytes_of(const char* text, size_t most) {
    const size_t length = length_of(text, most);
    return length < most ? length + 1 : most;
  }

  SiteRef place_;
  bool counts_;
};

}  // namespace
}  // namespace foretrace::runtime

using foretrace::runtime::Call;

#define FORETRACE_CALL const Call call(__builtin_return_address(0))
#define FORETRACE_NEXT(name, version)                   \
  FORETRACE_NEXT_FUNCTION(next_##name, #name, version); \
  auto* const real_##name = next_##name.get<decltype(name)>()

FORETRACE_INTERCEPT void* memcpy(void* target, const void* source, size_t bytes) {
  FORETRACE_NEXT(memcpy, "GLIBC_2.14");
  FORETRACE_CALL;
  call.reads(source, bytes);
  call.writes(target, bytes);
  return real_memcpy(target, source, bytes);
}
FORETRACE_INTERCEPT void* memmove(void* target, const void* source, size_t bytes) {
  FORETRACE_NEXT(memmove, nullptr);
  FORETRACE_CALL;
  call.reads(source, bytes);
  call.writes(target, bytes);
  return real_memmove(target, source, bytes);
}
FORETRACE_INTERCEPT void* mempcpy(void* target, const void* source, size_t bytes) {
  FORETRACE_NEXT(mempcpy, nullptr);
  FORETRACE_CALL;
  call.reads(source, bytes);
  call.writes(target, bytes);
  return real_mempcpy(target, source, bytes);
}
FORETRACE_INTERCEPT void* memset(void* target, int value, size_t bytes) {
  FORETRACE_NEXT(memset, nullptr);
  FORETRACE_CALL;
  call.writes(target, bytes);
  return real_memset(target, value, bytes);
}
FORETRACE_INTERCEPT int memcmp(const void* a, const void* b, size_t bytes) {
  FORETRACE_NEXT(memcmp, nullptr);
  FORETRACE_CALL;
  const int result = real_memcmp(a, b, bytes);
  call.reads(a, bytes);
  call.reads(b, bytes);
  return result;
}
FORETRACE_INTERCEPT void* memchr(const void* bytes, int value, size_t count) {
  FORETRACE_NEXT(memchr, nullptr);
  FORETRACE_CALL;
  void* const found = real_memchr(bytes, value, count);
  const auto distance = static_cast<char*>(found) - static_cast<const char*>(bytes);
  call.reads(bytes, found != nullptr ? static_cast<size_t>(distance) + 1 : count);
  return found;
}
FORETRACE_INTERCEPT void bzero(void* target, size_t bytes) {
  FORETRACE_NEXT(memset, nullptr);
  FORETRACE_CALL;
  call.writes(target, bytes);
  real_memset(target, 0, bytes);
}

// The same with a check that the compiler adds (_FORTIFY_SOURCE).
FORETRACE_INTERCEPT void* __memcpy_chk(void* target, const void* source, size_t bytes,
                                       size_t space) {
  FORETRACE_NEXT(__memcpy_chk, nullptr);
  FORETRACE_CALL;
  call.reads(source, bytes);
  if (bytes <= space) call.writes(target, bytes);
  return real___memcpy_chk(target, source, bytes, space);
}
FORETRACE_INTERCEPT void* __memmove_chk(void* target, const void* source, size_t bytes,
                                        size_t space) {
  FORETRACE_NEXT(__memmove_chk, nullptr);
  FORETRACE_CALL;
  call.reads(source, bytes);
  if (bytes <= space) call.writes(target, bytes);
  return real___memmove_chk(target, source, bytes, space);
}
FORETRACE_INTERCEPT void* __memset_chk(void* target, int value, size_t bytes, size_t space) {
  FORETRACE_NEXT(__memset_chk, nullptr);
  FORETRACE_CALL;
  if (bytes <= space) call.writes(target, bytes);
  return real___memset_chk(target, value, bytes, space);
}

// Clang 15 and later call these in the place of the above.
#define FORETRACE_ALIAS(name) __attribute__((visibility("default"), alias(#name)))
extern "C" FORETRACE_ALIAS(memcpy) void* __tsan_memcpy(void*, const void*, size_t) noexcept;
extern "C" FORETRACE_ALIAS(memmove) void* __tsan_memmove(void*, const void*, size_t) noexcept;
extern "C" FORETRACE_ALIAS(memset) void* __tsan_memset(void*, int, size_t) noexcept;

// ---- strings

FORETRACE_INTERCEPT size_t strlen(const char* text) {
  FORETRACE_NEXT(strlen, nullptr);
  FORETRACE_CALL;
  const size_t length = real_strlen(text);
  call.reads(text, length + 1);
  return length;
}
FORETRACE_INTERCEPT size_t strnlen(const char* text, size_t most) {
  FORETRACE_NEXT(strnlen, nullptr);
  FORETRACE_CALL;
  const size_t length = real_strnlen(text, most);
  call.reads(text, length < most ? length + 1 : most);
  return length;
}
FORETRACE_INTERCEPT int strcmp(const char* a, const char* b) {
  FORETRACE_NEXT(strcmp, nullptr);
  FORETRACE_CALL;
  call.compares(a, b);
  return real_strcmp(a, b);
}
FORETRACE_INTERCEPT int strncmp(const char* a, const char* b, size_t most) {
  FORETRACE_NEXT(strncmp, nullptr);
  FORETRACE_CALL;
  call.compares(a, b, most);
  return real_strncmp(a, b, most);
}
// These may go on where letters differ only in their case.
FORETRACE_INTERCEPT int strcasecmp(const char* a, const char* b) {
  FORETRACE_NEXT(strcasecmp, nullptr);
  FORETRACE_CALL;
  call.compares(a, b);
  return real_strcasecmp(a, b);
}
FORETRACE_INTERCEPT int strncasecmp(const char* a, const char* b, size_t most) {
  FORETRACE_NEXT(strncasecmp, nullptr);
  FORETRACE_CALL;
  call.compares(a, b, most);
  return real_strncasecmp(a, b, most);
}
FORETRACE_INTERCEPT char* strcpy(char* target, const char* text) {
  FORETRACE_NEXT(strcpy, nullptr);
  FORETRACE_CALL;
  call.reads_string(text);
  call.copies_string(target, text);
  return real_strcpy(target, text);
}
FORETRACE_INTERCEPT char* stpcpy(char* target, const char* text) {
  FORETRACE_NEXT(stpcpy, nullptr);
  FORETRACE_CALL;
  call.reads_string(text);
  call.copies_string(target, text);
  return real_stpcpy(target, text);
}
FORETRACE_INTERCEPT char* strncpy(char* target, const char* text, size_t bytes) {
  FORETRACE_NEXT(strncpy, nullptr);
  FORETRACE_CALL;
  call.reads_string(text, bytes);
  call.writes(target, bytes);
  return real_strncpy(target, text, bytes);
}
FORETRACE_INTERCEPT char* strcat(char* target, const char* text) {
  FORETRACE_NEXT(strcat, nullptr);
  FORETRACE_CALL;
  call.appends(target, text);
  return real_strcat(target, text);
}
FORETRACE_INTERCEPT char* strncat(char* target, const char* text, size_t most) {
  FORETRACE_NEXT(strncat, nullptr);
  FORETRACE_CALL;
  call.appends(target, text, most);
  return real_strncat(target, text, most);
}
FORETRACE_INTERCEPT char* strchr(const char* text, int character) {
  FORETRACE_NEXT(strchr, nullptr);
  FORETRACE_CALL;
  char* const found = real_strchr(text, character);
  if (found != nullptr) {
    call.reads(text, static_cast<size_t>(found - text) + 1);
  } else {
    call.reads_string(text);
  }
  return found;
}
FORETRACE_INTERCEPT char* strrchr(const char* text, int character) {
  FORETRACE_NEXT(strrchr, nullptr);
  FORETRACE_CALL;
  call.reads_string(text);
  return real_strrchr(text, character);
}
FORETRACE_INTERCEPT char* strstr(const char* text, const char* part) {
  FORETRACE_NEXT(strstr, nullptr);
  FORETRACE_CALL;
  call.reads_string(part);
  char* const found = real_strstr(text, part);
  if (found != nullptr) {
    call.reads(text, static_cast<size_t>(found - text) + 1);
  } else {
    call.reads_string(text);
  }
  return found;
}
FORETRACE_INTERCEPT char* strdup(const char* text) {
  const foretrace::runtime::CallPlace place(__builtin_return_address(0));
  FORETRACE_NEXT(strdup, nullptr);
  FORETRACE_CALL;
  call.reads_string(text);
  return real_strdup(text);
}
FORETRACE_INTERCEPT char* strndup(const char* text, size_t most) {
  const foretrace::runtime::CallPlace place(__builtin_return_address(0));
  FORETRACE_NEXT(strndup, nullptr);
  FORETRACE_CALL;
  call.reads_string(text, most);
  return real_strndup(text, most);
}
FORETRACE_INTERCEPT int puts(const char* text) {
  FORETRACE_NEXT(puts, nullptr);
  FORETRACE_CALL;
  call.reads_string(text);
  return real_puts(text);
}
FORETRACE_INTERCEPT int atoi(const char* text) {
  FORETRACE_NEXT(atoi, nullptr);
  FORETRACE_CALL;
  call.reads(text, foretrace::runtime::number_bytes(text, 10));
  return real_atoi(text);
}

// ---- files and formats: what was written is known behind the call

FORETRACE_INTERCEPT char* fgets(char* line, int space, FILE* file) {
  FORETRACE_NEXT(fgets, nullptr);
  FORETRACE_CALL;
  char* const got = real_fgets(line, space, file);
  if (got != nullptr) call.copies_string(line, line);
  return got;
}
FORETRACE_INTERCEPT size_t fread(void* items, size_t bytes, size_t count, FILE* file) {
  FORETRACE_NEXT(fread, nullptr);
  FORETRACE_CALL;
  const size_t got = real_fread(items, bytes, count, file);
  call.writes(items, got * bytes);
  return got;
}
FORETRACE_INTERCEPT size_t fwrite(const void* items, size_t bytes, size_t count, FILE* file) {
  FORETRACE_NEXT(fwrite, nullptr);
  FORETRACE_CALL;
  call.reads(items, bytes * count);
  return real_fwrite(items, bytes, count, file);
}
FORETRACE_INTERCEPT int vsnprintf(char* target, size_t space, const char* format,
                                  va_list arguments) noexcept {
  FORETRACE_NEXT(vsnprintf, nullptr);
  FORETRACE_CALL;
  return call.printed(target, space, real_vsnprintf(target, space, format, arguments));
}
FORETRACE_INTERCEPT int snprintf(char* target, size_t space, const char* format, ...) noexcept {
  FORETRACE_NEXT(vsnprintf, nullptr);
  FORETRACE_CALL;
  va_list arguments;
  va_start(arguments, format);
  const int length = real_vsnprintf(target, space, format, arguments);
  va_end(arguments);
  return call.printed(target, space, length);
}
FORETRACE_INTERCEPT int sprintf(char* target, const char* format, ...) noexcept {
  FORETRACE_NEXT(vsprintf, nullptr);
  FORETRACE_CALL;
  va_list arguments;
  va_start(arguments, format);
  const int length = real_vsprintf(target, format, arguments);
  va_end(arguments);
  return call.printed(target, SIZE_MAX, length);
}
