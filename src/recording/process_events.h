// Turns the records of one process, in order, into events of the trace.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "recording/call_stacks.h"
#include "recording/memory_blocks.h"
#include "recording/memory_pieces.h"
#include "recording/place_names.h"
#include "recording/process_traits.h"
#include "recording/recorded_names.h"
#include "recording/thread_numbers.h"
#include "runtime/layout.h"
#include "trace/batch.h"
#include "trace/symbols.h"

namespace foretrace {

// What is known of a run beside its trace.
struct RunLog {
  StackLog stacks;
  // By thread: the event that started it.
  struct Start {
    ThreadId by;
    uint64_t index;
    SiteId site;
  };
  std::map<ThreadId, Start> starts;
};

// The events are well-formed (trace/well_formed.h) whatever the records say: a
// record that cannot be, because others were lost or because the program does
// what POSIX forbids, is left out and counted.
class ProcessEvents {
 public:
  // Accesses of memory that is in none of the pieces are left out. Where there are fences,
  // relaxed operations order like others: which ones do is not known.
  // `counts` are those of all names but the locations'.
  ProcessEvents(uint32_t process, std::vector<MemoryPiece> pieces, RecordedNames& names,
                Symbols& symbols, PlaceNames& places, NameCounts& counts, RunLog& log,
                ProcessTraits traits);

  // Appends the events of records of thread `number` to `buffer`.
  void add(uint32_t number, std::span<const recording::Record> records, EventBuffer& buffer);

  uint64_t left_out() const { return left_out_; }

 private:
  struct Held {
    uint64_t address;
    LockId lock;
    bool shared;
    uint32_t depth;
  };
  struct Thread {
    ThreadId id = 0;
    uint64_t operand = 0;
    uint64_t earlier_operand = 0;  // the one before, if a record has two
    uint32_t stack = 0;            // the number of its call stack,
    uint32_t logged_stack = 0;     // and of that of its last event
    std::vector<Held> held;
    std::optional<uint64_t> waits_for;  // the address of the mutex
    std::vector<uint32_t> units;
    bool begun = false;  // it was created, or has events
    bool joined = false;
  };
  struct Lock {
    LockId id;
    uint32_t owner_depth = 0;  // of the exclusive holder
    uint32_t readers = 0;
  };
  // A block of memory that the program allocated.
  struct Block {
    uint64_t bytes;
    uint32_t site;
    uint32_t stack;
    uint32_t number;  // of those that were allocated there
    bool alive = true;
    uint64_t offset = 0;  // if it is what is left of one, how far behind the start of that

    Block rest(uint64_t from) const {
      return {bytes - from, site, stack, number, false, offset + from};
    }
  };
  // Who may give a location back without a race that is not found anyway: the thread that
  // wrote it last, as long as nobody else has read it since, or the only one that has.
  class Keeper {
   public:
    void access(ThreadId thread, bool write) {
      if (write) {
        keeper_ = thread << 1 | 1U;
      } else if (keeper_ >> 1 == thread || keeper_ % 2 == 1) {
        keeper_ = thread << 1;
      } else {
        keeper_ = kNobody;
      }
    }
    bool is(ThreadId thread) const { return keeper_ >> 1 == thread; }

   private:
    static constexpr uint32_t kNobody = UINT32_MAX - 1;
    uint32_t keeper_ = UINT32_MAX;  // and whether there was no read since the last write
  };

  // With this number in the recording.
  Thread& thread(uint32_t recorded) {
    const uint32_t number = numbers_.of(recorded);
    return number < threads_.size() ? threads_[number] : new_thread(recorded);
  }
  Thread& new_thread(uint32_t recorded);
  void add(Thread& self, const recording::Record& record);
  SiteId site() { return names_.site_in(site_number_, stack_); }
  // For the event of the thread that comes next.
  void log_stack(Thread& thread) {
    thread.begun = true;
    if (thread.logged_stack == stack_) return;
    thread.logged_stack = stack_;
    log_.stacks.note(thread.id, next_index(), names_.stacks(), stack_);
  }
  uint64_t next_index() const { return buffer_->first_index + buffer_->events.size(); }
  void emit(Thread& thread, Op op, uint32_t object);
  // One of these operations after the other.
  void access(Thread& thread, std::initializer_list<Op> ops, uint64_t address, uint64_t bytes);
  void access_elements(Thread& thread, Op op, const recording::Record& record);
  void acquire(Thread& thread, uint64_t address, bool shared);
  // The twin of a site for acquires that give up (Symbols::impatient_sites).
  SiteId impatient_twin(SiteId site);
  void release(Thread& thread, uint64_t address);
  void end_owner(uint64_t address);
  void wait(Thread& thread, const recording::Record& record, uint64_t condition);
  void notify(Thread& thread, uint64_t condition, Op op);
  void create(Thread& thread, Thread& child);
  void join(Thread& thread, Thread& child);
  void begin_unit(Thread& thread, uint32_t label);
  uint32_t label_named(const std::string& name);
  void end_unit(Thread& thread);
  void let_go_of_everything(Thread& thread);
  void begin_block(uint64_t address, uint64_t bytes);
  void end_block(Thread& thread, uint64_t address, bool is_seen);
  void forget(uint64_t address, uint64_t bytes);
  LocationId new_location(uint64_t address, uint64_t bytes);

  bool is_benign(uint64_t address) const;
  Lock& lock_at(uint64_t address);
  Lock* find_lock(uint64_t address);
  void forget_locks(uint64_t first, uint64_t end);
  // The bytes at an address, with the site that accesses them first.
  NamedPlace place_at(uint64_t address, const char* fallback);
  // A new name for what is there.
  std::string name_of_place(uint64_t address, const char* fallback) {
    return counts_.unique(places_.text_of(place_at(address, fallback)));
  }

  const uint32_t process_;
  const ProcessTraits traits_;
  RecordedNames& names_;
  Symbols& symbols_;
  PlaceNames& places_;
  NameCounts& counts_;
  RunLog& log_;
  MemoryPieces memory_;
  ThreadNumbers numbers_;
  std::deque<Thread> threads_;      // by number; never move
  std::map<uint64_t, Lock> locks_;  // by address
  struct RecentLock {
    uint64_t address = UINT64_MAX;
    Lock* lock = nullptr;
  };
  static constexpr uint32_t kRecentLockBits = 8;
  std::array<RecentLock, size_t{1} << kRecentLockBits> recent_locks_;
  std::map<uint64_t, LockId> conditions_;  // by address: the lock of the last wait
  std::map<uint64_t, uint32_t> barriers_;  // by address
  std::map<uint64_t, uint64_t> benign_;    // from addresses to bytes
  struct AtomicSet {
    uint64_t bytes;
    std::string name;
  };
  std::map<uint64_t, AtomicSet> sets_;  // by address
  MemoryBlocks<Block> blocks_;
  tsl::robin_map<uint64_t, uint32_t, IntegerHash> allocated_;  // by place: how many
  std::vector<Keeper> keepers_;                                // by location
  std::unordered_map<uint32_t, uint32_t> labels_;              // from the process's numbers
  std::unordered_map<std::string, uint32_t> labels_by_name_;
  std::unordered_map<SiteId, SiteId> impatient_twins_;
  uint64_t left_out_ = 0;
  EventBuffer* buffer_ = nullptr;  // during add()
  uint32_t site_number_ = 0;       // of the record that is added
  uint32_t stack_ = 0;             // likewise: the calls that led to it
  bool impatient_ = false;         // it is an acquire that would have given up
};

}  // namespace foretrace
