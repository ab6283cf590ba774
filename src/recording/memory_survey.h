// A first look at all records of a process: which memory matters, and into which
// pieces its accesses divide it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "recording/access_states.h"
#include "recording/hard_order.h"
#include "recording/lock_holders.h"
#include "recording/memory_blocks.h"
#include "recording/memory_pieces.h"
#include "recording/process_traits.h"
#include "recording/thread_numbers.h"
#include "runtime/layout.h"

namespace foretrace {

// Sees the records of one process in order, and finds the pieces of memory: the
// coarsest ones such that each access is of whole pieces. A block of memory that is
// allocated again is new memory.
class MemorySurvey {
 public:
  // `all` false: only memory with clashing accesses that the hard order leaves
  // unordered, or that is used atomically. All accesses of the rest are in the same
  // order in every correct reordering, so no race, deadlock or schedule depends on
  // them.
  explicit MemorySurvey(bool all) : all_(all) {}

  // Of the thread with this number in the recording, one after the other.
  void add(uint32_t thread, std::span<const recording::Record> records) {
    const uint32_t number = threads_.of(thread);
    for (const recording::Record& record : records) add_one(number, record);
  }
  void add(uint32_t thread, const recording::Record& record) { add(thread, std::span(&record, 1)); }
  // After the last record.
  std::vector<MemoryPiece> take_pieces();
  // Whether some clashing accesses are neither in the hard order nor excluded by a lock that
  // both threads hold. If there are none there is no race, in this run or another schedule of it.
  bool may_race() const { return all_ || states_.may_race() || !locks_.is_sure(); }
  ProcessTraits traits() const { return {has_fences_, waits_.interrupted()}; }
  // A thread with a record that no runtime writes.
  std::optional<uint32_t> damaged() const { return damaged_; }

 private:
  using StateId = AccessStates::Id;
  struct Page {
    // What is known of each unit of 1 << shift bytes: the page, as long as all accesses are of all
    // of it, else words, or as much less as they need.
    std::vector<StateId> units;
    uint32_t shift = kPageShift;
    std::array<uint64_t, kSurveyPage / 64> edges = {};  // bits: where an access starts or ended
    bool forgotten = false;                             // a part of it was
    bool atomics = false;                               // some of it may be used atomically

    void set_edge(uint32_t at) { edges[at / 64] |= uint64_t{1} << at % 64; }
    uint32_t edge_behind(uint32_t at, uint32_t end) const;
    void clear_edges(uint32_t first, uint32_t end);
  };
  static constexpr uint32_t kPageShift = 12;
  static_assert(kSurveyPage == 1U << kPageShift);
  static constexpr uint32_t kWordShift = 3;
  // A block that was allocated. When it is freed it stays, as memory that may be
  // used without being allocated again.
  struct Block {
    uint64_t bytes;
    uint32_t since;  // as in MemoryPiece
    bool alive;

    Block rest(uint64_t from) const { return {bytes - from, since, false}; }
  };

  // From here on threads have their number of threads_.
  void add_one(uint32_t thread, const recording::Record& record);
  uint64_t operand_of(uint32_t thread) const {
    return thread < operands_.size() ? operands_[thread] : 0;
  }
  bool follows_locks() const { return !may_race(); }
  void add_lock(uint32_t thread, const recording::Record& record);
  AccessStates::Access access_by(uint32_t thread, bool write, bool matters,
                                 const AccessStates::Place& atomic = {});
  void access(uint32_t thread, uint64_t address, uint64_t bytes, bool write, bool atomic);
  void access_range(uint32_t thread, const recording::Record& record, bool write);
  void access_page(Page& page, uint32_t first, uint32_t end, const AccessStates::Access& access);
  // Of a page: `count` of them, the first one `first` bytes from its start.
  struct Elements {
    uint32_t first;
    uint32_t bytes;
    uint32_t stride;
    uint32_t count;
  };
  void access_elements(uint32_t thread, const recording::Record& record, bool write);
  void access_page(Page& page, const Elements& elements, const AccessStates::Access& access);
  // No unit goes on beyond any of these places, whose bits are joined.
  static void divide(Page& page, uint32_t places) {
    if ((places & ((1U << page.shift) - 1)) != 0) refine(page, places);
  }
  static void refine(Page& page, uint32_t places);
  bool must_matter(uint64_t address, uint64_t bytes) const;
  void begin_block(uint64_t address, uint64_t bytes);
  void begin_set(uint64_t address, uint64_t bytes);
  void end_block(uint32_t thread, uint64_t address, bool is_seen);
  // The pages with some of these bytes that were accessed, in any order: visit(page, its first
  // byte).
  template <typename Visit>
  void for_each_page(uint64_t address, uint64_t end, const Visit& visit);
  void write_used(uint32_t thread, uint64_t address, uint64_t bytes);
  void forget(uint64_t address, uint64_t bytes);
  void forget_in(Page& page, uint64_t start, uint32_t first, uint32_t end);
  void take_pieces(const Page& page, uint64_t start, uint32_t first, uint32_t end);
  uint32_t since_at(const Page& page, uint64_t address) const;
  Page& page_of(uint64_t number);
  void note_large(uint64_t address, uint64_t end);
  bool is_large(uint64_t address) const;
  void drop_unused_states();

  const bool all_;
  ThreadNumbers threads_;
  HardOrder order_;
  AccessStates states_{order_};
  LockHolders locks_;
  WaitWatch waits_;
  std::vector<uint64_t> operands_;  // by thread
  tsl::robin_map<uint64_t, std::unique_ptr<Page>, IntegerHash> pages_;
  struct RecentPage {
    uint64_t number = UINT64_MAX;
    Page* page = nullptr;
  };
  std::array<RecentPage, 4096> recent_pages_;  // by number
  MemoryBlocks<Block> blocks_;
  MemoryBlocks<Block> sets_;                  // atomic sets
  std::map<uint64_t, uint64_t> that_matter_;  // from addresses to bytes: annotated
  std::map<uint64_t, uint64_t> large_;        // large areas that were forgotten: to their ends
  uint32_t forgotten_ = 0;                    // calls of forget()
  bool has_fences_ = false;
  std::optional<uint32_t> damaged_;
  std::vector<MemoryPiece> pieces_;
};

}  // namespace foretrace
