// Blocks of other threads that can come between two blocks. Those that do the same, with
// the same locks, at the same moment, are one partner; sets of partners are bits, so that
// it is quickly seen whether one of them does all that a pattern asks for.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lint/bits.h"
#include "lint/blocks.h"
#include "lint/overlaps.h"

namespace foretrace::lint {

// Equal for blocks that do the same to the same locations, wherever they are.
using ContentId = uint32_t;
using MomentId = uint32_t;

class Partners {
 public:
  Partners(const Program& program, const Blocks& blocks, Overlaps& overlaps);

  ContentId content(const BlockRef& block);
  const Effects& effects(ContentId content) const { return *effects_[content]; }
  MomentId moment(const BlockRef& block);

  size_t count() const { return partners_.size(); }
  // A block that the partner stands for.
  const BlockRef& block(size_t partner) const { return blocks_of_[partner]; }
  // Partners that read or write the location, a part of it, or what it is a part of.
  const Bits& readers(LocationId location) { return users_of(location).readers; }
  const Bits& writers(LocationId location) { return users_of(location).writers; }

  // The locations that some partner reads or writes.
  std::vector<bool> used();

  // Partners that can come between blocks at these moments, while the locks are held all
  // the time: a number for the set of them.
  using Around = std::vector<std::pair<LocationId, bool>>;  // and whether it is shared
  uint32_t between(MomentId first, MomentId second, const Around& around);
  const Bits& set(uint32_t number) const { return sets_[number]; }

 private:
  struct Partner {
    MomentId moment = 0;
    Around locks;
  };
  struct Users {
    Bits readers;
    Bits writers;
  };
  void index();
  const Users& users_of(LocationId location);
  bool can_come(const Partner& partner, MomentId first, MomentId second,
                const Around& around) const;

  const Program& program_;
  const Blocks& blocks_;
  Overlaps& overlaps_;
  std::map<std::vector<uint32_t>, ContentId> contents_;
  std::vector<const Effects*> effects_;
  std::unordered_map<const Effects*, ContentId> content_of_;
  std::map<Moment, MomentId> moments_;
  std::vector<Moment> all_moments_;
  std::vector<Partner> partners_;
  std::vector<BlockRef> blocks_of_;
  std::unordered_map<LocationId, Users> direct_;  // of the very location
  std::unordered_map<LocationId, Users> users_;
  std::map<std::tuple<MomentId, MomentId, Around>, uint32_t> known_;
  std::map<Bits, uint32_t> numbers_;
  std::vector<Bits> sets_;
};

}  // namespace foretrace::lint
