// The accesses of a location that a later one may clash with: paper 000's W and
// R, section 15.2.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "analyses/mb/stretch.h"
#include "analyses/race.h"
#include "order/lockset.h"

namespace foretrace::mb {

// 20 bytes, so that three of them and a number are one cache line.
class PastAccess {
 public:
  PastAccess() = default;
  PastAccess(Epoch epoch, SiteId site_id, LocksetId held_locks, StretchId stretch_id)
      : site(site_id),
        held(held_locks),
        stretch(stretch_id),
        epoch_(std::bit_cast<std::array<uint32_t, 2>>(epoch)) {}

  // Its thread and clock; zero if there is no access.
  Epoch epoch() const { return std::bit_cast<Epoch>(epoch_); }
  uint64_t index() const { return epoch().clock() - 1; }
  RaceSide side(Op op) const { return {op, {epoch(), index(), site, held}}; }

  SiteId site = kNoSite;
  LocksetId held = kEmptyLockset;
  StretchId stretch = 0;  // it is in it

 private:
  std::array<uint32_t, 2> epoch_ = {};
};

// The clashes of a location are all in the order (Definition 8, condition 2). So
// the last write stands for everything before it. After it the last read of each
// thread counts, unless another read that counts must come after it.
struct alignas(64) Conflicts {
  PastAccess write;
  std::array<PastAccess, 2> reads;  // while these are enough
  uint32_t list = 0;                // else the number of their list in ReadLists, plus one
};
static_assert(sizeof(Conflicts) == 64);

// The reads of those locations that have more than two that count. Few have, and
// mostly such that are hardly ever written.
class ReadLists {
 public:
  // Calls visit(op, access) for what clashes with a new read or write, also for
  // accesses by the same thread and for those that are none.
  template <typename Visit>
  void for_each_clash(const Conflicts& location, bool is_write, Visit visit) const {
    visit(Op::wr, location.write);
    if (is_write) for_each_read(location, [&](const PastAccess& read) { visit(Op::rd, read); });
  }
  template <typename Visit>
  void for_each_read(const Conflicts& location, Visit visit) const {
    if (location.list == 0) {
      for (const PastAccess& read : location.reads) visit(read);
    } else {
      for (const PastAccess& read : lists_[location.list - 1]) visit(read);
    }
  }

  void remember_write(Conflicts& location, const PastAccess& access) {
    location.write = access;
    location.reads = {};
    if (location.list != 0) drop_list(location);
  }
  // is_before(read) tells whether a read must come before the new one, or is none.
  template <typename IsBefore>
  void remember_read(Conflicts& location, const PastAccess& access, IsBefore is_before) {
    if (location.list != 0) return add_to_list(location, access);
    const std::array<bool, 2> replaced = {is_before(location.reads[0]),
                                          is_before(location.reads[1])};
    if (!replaced[0] && !replaced[1]) {
      make_list(location);
      return add_to_list(location, access);
    }
    if (replaced[0] && replaced[1]) location.reads[1] = {};
    location.reads[replaced[0] ? 0 : 1] = access;
  }

 private:
  void make_list(Conflicts& location);
  void drop_list(Conflicts& location);
  void add_to_list(Conflicts& location, const PastAccess& access);

  std::vector<std::vector<PastAccess>> lists_;  // each with one read a thread, by thread
  std::vector<uint32_t> free_;                  // numbers plus one
};

}  // namespace foretrace::mb
