// The atomic sections of one function: which of its accesses belong together.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lint/sections.h"
#include "lint/shape.h"

namespace foretrace::lint {

class FunctionSections {
 public:
  struct Facts {
    std::set<uint32_t> accesses;  // that others may disturb: their ids
    // By call: the variables that it touches too.
    std::map<uint32_t, std::set<Path>> touched_by_calls;
    // By variable: locks that are held at all its accesses, everywhere. As long as one
    // of them is held nobody can disturb.
    std::map<Path, std::set<Path>> locks;
    // Ops that may wait for others, or let them go on: locks, threads, atomics, and calls
    // that do such things or of which nothing is known.
    std::set<uint32_t> synchronising;
  };

  // `globals`: their names, by USR.
  FunctionSections(const FunctionShape& shape, const Facts& facts,
                   const std::map<Name, std::string>& globals)
      : shape_(shape), function_(shape.function()), facts_(facts), globals_(globals) {}

  void find(std::vector<AtomicSection>& sections);

 private:
  const Access& access(uint32_t id) const { return *shape_.op(id).as<Access>(); }
  AtomicSection section(const char* kind, uint32_t entry) const;
  std::vector<uint32_t> next(uint32_t from) const;
  bool is_protected(uint32_t id) const { return is_protected(shape_.op(id), access(id).path); }
  bool is_protected(const Op& op, const Path& variable) const;
  size_t index_of(uint32_t id) const;
  bool synchronises(uint32_t entry, const std::set<uint32_t>& ends) const;
  std::set<uint32_t> side(uint32_t branch, uint32_t first) const;
  void add_exits(const std::set<uint32_t>& blocks, AtomicSection& made) const;

  void load_and_store(uint32_t entry, std::vector<AtomicSection>& sections);
  void test_and_use(uint32_t entry, std::vector<AtomicSection>& sections);
  void consecutive(uint32_t entry, std::vector<AtomicSection>& sections);

  const FunctionShape& shape_;
  const Function& function_;
  const Facts& facts_;
  const std::map<Name, std::string>& globals_;
  std::set<std::pair<uint32_t, uint32_t>> said_;  // entries and ends
};

}  // namespace foretrace::lint
