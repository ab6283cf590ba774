// The variables of two blocks: their locations, of which those that overlap are one
// variable (category A of section 4.7 in paper 004: a container and its elements).
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "lint/overlaps.h"
#include "lint/partners.h"
#include "lint/patterns.h"

namespace foretrace::lint {

struct PairVariables {
  std::vector<std::vector<LocationId>> locations;  // by variable: those of the two blocks
  std::vector<VariableUse> uses;                   // by variable
};

class VariableFinder {
 public:
  VariableFinder(Overlaps& overlaps, Partners& partners)
      : overlaps_(overlaps), partners_(partners) {}

  PairVariables find(ContentId first, ContentId second);
  // The partners that read or write something that a block with this content does.
  const Bits& touching(ContentId content) { return own(content).touched_by; }

 private:
  // The variables of one block alone. Many pairs have it as a part.
  struct Own {
    struct Group {
      std::vector<LocationId> locations;
      VariableUse::Block use;
      Bits read_by;
      Bits written_by;
    };
    std::vector<Group> groups;
    Bits touched_by;
    // All that overlaps a group, and the group. Sorted.
    std::vector<std::pair<LocationId, uint32_t>> overlapping;
  };
  const Own& own(ContentId content);

  Overlaps& overlaps_;
  Partners& partners_;
  std::unordered_map<ContentId, Own> known_;
};

}  // namespace foretrace::lint
