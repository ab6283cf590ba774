// A place in the source, as the compiler plugin lays it out in the program.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

// The plugin (src/instrument) writes these as constants: keep both the same.
struct Site {
  uint32_t number;  // 0 until the first record that names it
  uint32_t line;
  uint32_t column;
  uint32_t element;  // the size of the array's element that is accessed, or 0
  const char* file;
  const char* function;
  const char* what;     // "Account::balance", "counter"; empty if not known
  const char* inlined;  // the calls that were inlined here, innermost first, each as
                        // "function\tfile:line:column\n"
  uint64_t flags;
  const char* loop;  // the place of the Loop that it is in, or null
};
static_assert(sizeof(Site) == 64);
inline constexpr uint64_t kVolatileSite = 1;
// In its loop: that the access is made, and where, does not depend on what the loop reads.
inline constexpr uint64_t kForeseenSite = 2;

// Reads of one object that the recorder looks at together, or a read and a write of the same bytes.
// The plugin writes these too, as
// variables. When this or FilterEntry changes, their hook (__foretrace_read_parts) needs another
// name, or programs that were built before would be read wrongly.
struct GroupMember {
  uint32_t offset;  // from the first byte of all of them
  uint32_t bytes;
  const Site* site;
};
struct ReadGroup {
  uint32_t number;  // 0 until the first record that names it
  uint32_t count;
  // In the filter's entries (FilterEntry) of reads that begin with a granule, and of those that
  // begin in the middle of one.
  static constexpr uint32_t kMostGranules = 4;
  uint64_t must_agree[2][kMostGranules];
  GroupMember members[1];  // so many, in the order in which they are made
};

// Where something happens: a Site of the plugin, or an address in code that was
// compiled with -fsanitize=thread (modules.h), or nothing that is known.
class SiteRef {
 public:
  SiteRef() = default;  // as SiteRef(): not known
  // NOLINTNEXTLINE(google-explicit-constructor): a site is a reference to itself.
  SiteRef(const Site* site) : bits_(reinterpret_cast<uint64_t>(site)) {}
  // `address` is a return address: the call is just in front of it.
  static SiteRef before(const void* address) {
    SiteRef ref = SiteRef();
    ref.bits_ = (reinterpret_cast<uint64_t>(address) - 1) << 1 | 1;
    return ref;
  }
  bool is_known() const { return bits_ != 0; }
  bool is_code() const { return (bits_ & 1) != 0; }
  uint64_t code() const { return bits_ >> 1; }
  bool operator==(const SiteRef&) const = default;
  // Of neighbouring sites they are different.
  uint64_t hash() const { return bits_ / sizeof(Site); }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it was made of one.
  const Site* site() const { return reinterpret_cast<const Site*>(bits_); }
  bool is_in_loop(const char* loop) const {
    return is_known() && !is_code() && loop != nullptr && site()->loop == loop;
  }

 private:
  uint64_t bits_;  // sites are aligned, so the lowest bit says which it is
};

}  // namespace foretrace::runtime
