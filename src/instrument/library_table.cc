#include "instrument/library_table.h"

#include <llvm/ADT/StringMap.h>

// What a call surely touches, and no more: a byte too many could be a false race. So
// lengths that hang on the result are taken from it, and what is left out here is
// accessed only in part, or in ways that glibc may change.

namespace foretrace::instrument {
namespace {

using Amount = LibraryPart::Amount;
using How = LibraryAccess::Amount;
using Kind = LibraryAccess::Kind;

constexpr Number arg(unsigned place) { return {place, true}; }

// ---- how many bytes

constexpr Amount kWhole = {};
constexpr Amount fixed(uint64_t bytes) { return {How::count, {bytes}}; }
constexpr Amount optional(uint64_t bytes) { return {How::if_given, {bytes}}; }
constexpr Amount given(unsigned place) { return {How::count, arg(place)}; }
constexpr Amount items(unsigned count, unsigned size) {
  return {How::product, arg(count), arg(size)};
}
constexpr Amount wide(unsigned count) { return {How::product, arg(count), {4}}; }
constexpr Amount if_zero(uint64_t bytes) { return {How::if_zero, {bytes}}; }
constexpr Amount if_positive(uint64_t bytes) { return {How::if_more, {bytes}, {0}}; }
constexpr Amount kResultBytes = {How::result};
constexpr Amount result_items(unsigned size) { return {How::result, {}, arg(size)}; }
constexpr Amount kPrinted = {How::printed};
constexpr Amount printed_within(unsigned most) { return {How::printed, arg(most)}; }
constexpr Amount kThrough = {How::through};
constexpr Amount through(unsigned otherwise) { return {How::through, arg(otherwise)}; }
constexpr Amount in_front_of(unsigned otherwise) { return {How::in_front_of, arg(otherwise)}; }

// ---- what is accessed

constexpr LibraryPart reads(unsigned place, Amount amount) { return {Kind::read, place, amount}; }
constexpr LibraryPart writes(unsigned place, Amount amount) { return {Kind::write, place, amount}; }
constexpr LibraryPart string(unsigned place, Amount most = kWhole) {
  return {Kind::read_string, place, most};
}
// Text that need not end: a number to base 10, or to that of an argument.
constexpr LibraryPart number(unsigned place, Amount base = fixed(10)) {
  return {Kind::read_number, place, base};
}
constexpr LibraryPart compares(unsigned place, unsigned other, Amount most = kWhole) {
  return {Kind::compare_string, place, most, other};
}
constexpr LibraryPart copies(unsigned target, unsigned source, Amount bytes = kWhole) {
  return {Kind::copy_string, target, bytes, source};
}
constexpr LibraryPart appends(unsigned target, unsigned source, Amount most = kWhole) {
  return {Kind::append_string, target, most, source};
}
// A string, if the function returns the pointer to it.
constexpr LibraryPart returns(unsigned place) {
  return {Kind::copy_string, place, {How::if_same}, place};
}
constexpr Format prints(unsigned place) { return {Format::Use::print, place}; }
constexpr Format scans(unsigned place) { return {Format::Use::scan, place}; }

// Sizes of glibc's structures on x86-64.
constexpr uint64_t kTime = 8;
constexpr uint64_t kTimespec = 16;
constexpr uint64_t kTm = 56;
constexpr uint64_t kStat = 144;

constexpr LibraryFunction kFunctions[] = {
    // Memory.
    {"memcpy", {writes(0, given(2)), reads(1, given(2))}},
    {"memmove", {writes(0, given(2)), reads(1, given(2))}},
    {"mempcpy", {writes(0, given(2)), reads(1, given(2))}},
    {"memset", {writes(0, given(2))}},
    {"memcmp", {reads(0, given(2)), reads(1, given(2))}},
    {"bcmp", {reads(0, given(2)), reads(1, given(2))}},
    {"bcopy", {reads(0, given(2)), writes(1, given(2))}},
    {"bzero", {writes(0, given(1))}},
    {"memchr", {reads(0, through(2))}},
    {"memccpy", {writes(0, in_front_of(3)), reads(1, in_front_of(3))}},
    {"wmemcpy", {writes(0, wide(2)), reads(1, wide(2))}},
    {"wmemmove", {writes(0, wide(2)), reads(1, wide(2))}},
    {"wmemset", {writes(0, wide(2))}},
    {"qsort", {writes(0, {How::sorted, arg(1), arg(2)})}},
    {"qsort_r", {writes(0, {How::sorted, arg(1), arg(2)})}},

    // Strings.
    {"strlen", {string(0)}},
    {"strnlen", {string(0, given(1))}},
    {"strcpy", {copies(0, 1), string(1)}},
    {"stpcpy", {copies(0, 1), string(1)}},
    {"strncpy", {copies(0, 1, given(2)), string(1, given(2))}},
    {"strcat", {appends(0, 1), string(1)}},
    {"strncat", {appends(0, 1, given(2)), string(1, given(2))}},
    {"strdup", {string(0)}},
    {"strndup", {string(0, given(1))}},
    {"strcmp", {compares(0, 1), compares(1, 0)}},
    {"strncmp", {compares(0, 1, given(2)), compares(1, 0, given(2))}},
    // These may go on where letters differ only in their case.
    {"strcasecmp", {compares(0, 1), compares(1, 0)}},
    {"strncasecmp", {compares(0, 1, given(2)), compares(1, 0, given(2))}},
    {"strchr", {string(0, kThrough)}},
    {"strrchr", {string(0)}},
    {"strstr", {string(0, kThrough), string(1)}},
    {"strpbrk", {string(0, kThrough), string(1)}},
    {"strspn", {reads(0, kPrinted), string(1)}},
    {"strcspn", {reads(0, kPrinted), string(1)}},
    {"strtok_r", {string(1), writes(2, fixed(8)), string(kResult)}},
    {"strerror_r", {returns(1)}},
    {"mbstowcs", {writes(0, {How::printed, arg(2), {4}}), string(1)}},

    // Numbers.
    {"atoi", {number(0)}},
    {"atol", {number(0)}},
    {"atoll", {number(0)}},
    {"atof", {number(0)}},
    {"strtol", {number(0, given(2)), writes(1, optional(8))}},
    {"strtoll", {number(0, given(2)), writes(1, optional(8))}},
    {"strtoul", {number(0, given(2)), writes(1, optional(8))}},
    {"strtoull", {number(0, given(2)), writes(1, optional(8))}},
    {"strtof", {number(0), writes(1, optional(8))}},
    {"strtod", {number(0), writes(1, optional(8))}},
    {"frexp", {writes(1, fixed(4))}},
    {"frexpf", {writes(1, fixed(4))}},
    {"modf", {writes(1, fixed(8))}},
    {"modff", {writes(1, fixed(4))}},
    {"sincos", {writes(1, fixed(8)), writes(2, fixed(8))}},
    {"rand_r", {reads(0, fixed(4)), writes(0, fixed(4))}},
    {"getrandom", {writes(0, kResultBytes)}},

    // Files.
    {"puts", {string(0)}},
    {"fputs", {string(0)}},
    {"perror", {string(0)}},
    {"fgets", {returns(0)}},
    {"fread", {writes(0, result_items(1))}},
    {"fread_unlocked", {writes(0, result_items(1))}},
    {"fwrite", {reads(0, items(1, 2))}},
    {"fwrite_unlocked", {reads(0, items(1, 2))}},
    {"pread", {writes(1, kResultBytes)}},
    {"pread64", {writes(1, kResultBytes)}},
    {"pwrite", {reads(1, kResultBytes)}},
    {"pwrite64", {reads(1, kResultBytes)}},
    {"open", {string(0)}},
    {"open64", {string(0)}},
    {"openat", {string(1)}},
    {"fopen", {string(0), string(1)}},
    {"fopen64", {string(0), string(1)}},
    {"unlink", {string(0)}},
    {"mkdir", {string(0)}},
    {"opendir", {string(0)}},
    {"rename", {string(0), string(1)}},
    {"stat", {string(0), writes(1, if_zero(kStat))}},
    {"lstat", {string(0), writes(1, if_zero(kStat))}},
    {"fstat", {writes(1, if_zero(kStat))}},
    {"stat64", {string(0), writes(1, if_zero(kStat))}},
    {"lstat64", {string(0), writes(1, if_zero(kStat))}},
    {"fstat64", {writes(1, if_zero(kStat))}},
    {"readlink", {string(0), writes(1, kResultBytes)}},
    {"realpath", {string(0), returns(1)}},
    {"getcwd", {returns(0)}},
    {"getenv", {string(0)}},
    {"pipe", {writes(0, if_zero(8))}},
    {"socketpair", {writes(3, if_zero(8))}},
    {"inet_ntop", {reads(1, fixed(4)), returns(2)}},
    {"inet_pton", {string(1), writes(2, if_positive(4))}},

    // Time.
    {"time", {writes(0, optional(kTime))}},
    {"gettimeofday", {writes(0, optional(kTimespec))}},
    {"clock_gettime", {writes(1, if_zero(kTimespec))}},
    {"timespec_get", {writes(0, if_positive(kTimespec))}},
    {"nanosleep", {reads(0, fixed(kTimespec))}},
    {"localtime", {reads(0, fixed(kTime))}},
    {"gmtime", {reads(0, fixed(kTime))}},
    {"ctime", {reads(0, fixed(kTime))}},
    {"ctime_r", {reads(0, fixed(kTime)), returns(1)}},
    {"asctime_r", {returns(1)}},
    {"localtime_r", {reads(0, fixed(kTime)), writes(1, {How::if_same, {kTm}})}},
    {"gmtime_r", {reads(0, fixed(kTime)), writes(1, {How::if_same, {kTm}})}},
    {"strftime", {writes(0, printed_within(1)), string(2)}},

    // Threads.
    {"pthread_attr_init", {writes(0, if_zero(56))}},

    // Formats.
    {"printf", {string(0)}, prints(0)},
    {"fprintf", {string(1)}, prints(1)},
    {"dprintf", {string(1)}, prints(1)},
    {"syslog", {string(1)}, prints(1)},
    {"sprintf", {writes(0, kPrinted), string(1)}, prints(1)},
    {"snprintf", {writes(0, printed_within(1)), string(2)}, prints(2)},
    {"asprintf", {writes(0, {How::if_more, {8}, {UINT64_MAX}}), string(1)}, prints(1)},
    {"vsprintf", {writes(0, kPrinted), string(1)}},
    {"vsnprintf", {writes(0, printed_within(1)), string(2)}},
    {"scanf", {string(0)}, scans(0)},
    {"fscanf", {string(1)}, scans(1)},
    {"sscanf", {string(0), string(1)}, scans(1)},

    // The same with a check that the compiler adds (_FORTIFY_SOURCE).
    {"__memcpy_chk", {writes(0, given(2)), reads(1, given(2))}},
    {"__memmove_chk", {writes(0, given(2)), reads(1, given(2))}},
    {"__mempcpy_chk", {writes(0, given(2)), reads(1, given(2))}},
    {"__memset_chk", {writes(0, given(2))}},
    {"__strcpy_chk", {copies(0, 1), string(1)}},
    {"__stpcpy_chk", {copies(0, 1), string(1)}},
    {"__strncpy_chk", {copies(0, 1, given(2)), string(1, given(2))}},
    {"__strcat_chk", {appends(0, 1), string(1)}},
    {"__strncat_chk", {appends(0, 1, given(2)), string(1, given(2))}},
    {"__fgets_chk", {returns(0)}},
    {"__fread_chk", {writes(0, result_items(2))}},
    {"__pread_chk", {writes(1, kResultBytes)}},
    {"__readlink_chk", {string(0), writes(1, kResultBytes)}},
    {"__realpath_chk", {string(0), returns(1)}},
    {"__getcwd_chk", {returns(0)}},
    {"__printf_chk", {string(1)}, prints(1)},
    {"__fprintf_chk", {string(2)}, prints(2)},
    {"__sprintf_chk", {writes(0, kPrinted), string(3)}, prints(3)},
    {"__snprintf_chk", {writes(0, printed_within(1)), string(4)}, prints(4)},
};

}  // namespace

const LibraryFunction* find_library_function(llvm::StringRef name) {
  static const llvm::StringMap<const LibraryFunction*> by_name = [] {
    llvm::StringMap<const LibraryFunction*> functions;
    for (const LibraryFunction& function : kFunctions) functions[function.name] = &function;
    return functions;
  }();
  return by_name.lookup(name);
}

}  // namespace foretrace::instrument
