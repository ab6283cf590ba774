// Clashes that are not ordered so far: paper 000's B, section 15.2.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/mb/race_reports.h"
#include "analyses/mb/stretch.h"
#include "base/hash.h"

namespace foretrace::mb {

// An access with the earlier accesses that it may race with.
struct PendingAccess {
  Stretch* before = nullptr;      // its past decides; null: it is not in use
  PendingAccess* next = nullptr;  // of the same stretch
  LocationId location = 0;
  uint64_t index = 0;
  std::vector<Race> races;
  std::vector<Race> hb_races;  // for happens-before they are races
};

// Decides clashes once the past of their second access is settled: chapter 14's
// definition of a race. Reports the first pair of each racy location, that is
// the one whose second access comes earliest and of its partners the latest, or
// all pairs.
class PendingClashes {
 public:
  PendingClashes(RaceReports& reports, bool all_pairs) : reports_(reports), all_pairs_(all_pairs) {}

  // What is asked for more is of no use, if only first pairs are reported.
  bool is_racy(LocationId location) const {
    return location < racy_.size() && racy_[location] != 0;
  }

  // Possible races of one access, by must-before and by happens-before; the
  // stretch is the one before the access. Those that are ordered by now are
  // dealt with at once. Takes the content of the lists.
  void add(Stretch& before, LocationId location, uint64_t index, std::vector<Race>& races,
           std::vector<Race>& hb_races);
  // The stretch's past is settled.
  void decide(Stretch& before);

  // Accesses that wait for a decision, and pairs that are not ordered so far.
  size_t size() const { return size_; }
  uint64_t unordered() const;

 private:
  // The pending accesses of a location, in trace order, from the first one that
  // is not decided. Only for first pairs.
  struct Decision {
    uint64_t index = 0;
    bool decided = false;
    std::optional<Race> race;
  };

  static bool is_ordered(const Stretch& before, const Race& race);
  void report_ordered_hb(const Stretch& before, std::vector<Race>& hb_races);
  PendingAccess* make();
  void decide(PendingAccess& access);
  void decide_first(PendingAccess& access);

  RaceReports& reports_;
  const bool all_pairs_;
  size_t size_ = 0;
  std::vector<std::unique_ptr<PendingAccess>> accesses_;
  std::vector<PendingAccess*> free_;
  tsl::robin_map<LocationId, std::deque<Decision>, IntegerHash> by_location_;
  std::vector<uint8_t> racy_;  // by location: reported
};

}  // namespace foretrace::mb
