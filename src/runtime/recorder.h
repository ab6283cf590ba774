// The recorder: what all hooks and interceptors of the runtime write through.
//
// It depends on libc only, never throws, and when something fails (no session,
// no memory, the recorder process is gone) it records no more: the program goes
// on as if it had not been built with Foretrace.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/layout.h"
#include "runtime/names.h"
#include "runtime/site.h"
#include "runtime/thread_state.h"

namespace foretrace::runtime {

using recording::Kind;
using recording::Record;

template <bool kWrite>
inline constexpr Kind kRange = kWrite ? Kind::write_range : Kind::read_range;

// The number of the stack at the hook or interceptor with frame self.frame; 0 if none is known
// (call_stack.h).
uint32_t find_current_stack();
inline uint32_t current_stack() {
  const CallFrame* const call = self.call;
  const bool is_known =
      call != nullptr && call->frame >= self.frame && call->id != CallFrame::kNotAsked;
  return is_known ? call->id : find_current_stack();
}
// A number for a site and the stack that led there; 0 if there is none.
uint32_t placed_site(uint32_t site, uint32_t stack);

// Of a read and a write of the same bytes: a site, or the group of their two. One word, so that
// hooks can jump to what takes it.
class UpdateSites {
 public:
  explicit UpdateSites(const Site* site) : bits_(reinterpret_cast<uint64_t>(site)) {}
  explicit UpdateSites(ReadGroup* pair) : bits_(reinterpret_cast<uint64_t>(pair) | 1) {}

  bool is_pair() const { return (bits_ & 1) != 0; }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it was made of one.
  ReadGroup& pair() const { return *reinterpret_cast<ReadGroup*>(bits_ & ~uint64_t{1}); }
  SiteRef read() const { return is_pair() ? SiteRef(pair().members[0].site) : site(); }
  SiteRef write() const { return is_pair() ? SiteRef(pair().members[1].site) : site(); }
  Kind kind() const { return is_pair() ? Kind::update_pair : Kind::update; }

 private:
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  SiteRef site() const { return reinterpret_cast<const Site*>(bits_); }

  uint64_t bits_;  // both are aligned, so the lowest bit says which it is
};

// The right to append records. Not granted while the thread is in the recorder
// already (a signal handler interrupted it), in a region that is hidden, or if
// it cannot record.
class Entry {
 public:
  static constexpr uint64_t kMostBytes = Record::kMostRange;  // what the record of a range can hold
  static constexpr uint64_t kMostInAccess = UINT8_MAX;        // and what that of an access can

  Entry() : granted_(is_quick() ? begin() : enter()) {}
  ~Entry() {
    if (granted_ && leave()) write_waiting();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  explicit operator bool() const { return granted_; }

  // Both keep the order of calls. A stamp orders the record after everything
  // that other threads appended before.
  static void append(Kind kind, uint64_t address, uint32_t size, SiteRef site, uint32_t upper = 0);
  static void append_stamped(Kind kind, uint64_t address, uint32_t size, SiteRef site);
  static void append_operand(uint64_t number);
  static void append_free(uint64_t address, SiteRef site);
  // The open run that an access may become part of; null if there is none.
  template <bool kWrite>
  __attribute__((always_inline)) static OpenRun* run_for(uint64_t address, SiteRef site);
  // The open run that ends where an access at the same site begins, whatever its stack; null if
  // there is none.
  template <bool kWrite>
  __attribute__((always_inline)) static OpenRun* run_ending_at(uint64_t address, SiteRef site);
  // Whether its stack is the one that was recorded last, and is the thread's now;
  static bool is_here(const OpenRun& run) { return is_same_stack() && run.stack == self.stack; }
  // or whether it is one record of this kind, which names the thread's stack itself.
  static bool is_lone_here(const OpenRun& run, Kind kind) {
    return run.is_apart() && record_of(run).kind() == kind &&
           run.stack == OpenRun::apart(current_stack());
  }
  // Makes such a record longer. False: it cannot be.
  template <bool kWrite>
  static bool join_lone(OpenRun& run, uint32_t size);
  // The run of reads that has these bytes at its end and is in front of a run of writes; null
  // if there is none.
  static OpenRun* reads_before(const OpenRun& writes, uint64_t address, uint32_t size);
  // Makes an access part of its run. False: that is too long already.
  template <bool kWrite>
  static bool join(OpenRun& run, uint32_t size);
  // The run that the site added to last, if an access may become part of it by continue_run().
  template <bool kWrite>
  __attribute__((always_inline)) static const LastRun* last_run_for(uint64_t address, SiteRef site);
  // Whether reads_before() would find a run of reads.
  __attribute__((always_inline)) static bool has_reads_before(const LastRun& last, uint64_t address,
                                                              uint32_t size);
  __attribute__((always_inline)) static void continue_run(OpenRun& run, uint32_t size);
  // An access of up to kMostInAccess bytes.
  template <bool kWrite>
  __attribute__((noinline)) static void append_access(uint64_t address, uint32_t size,
                                                      SiteRef site);

  // A read and a write within one granule: one record for both.
  static void append_update(uint64_t address, uint32_t size, UpdateSites sites);
  // The reads of a group, which has this number, of bytes that are all new.
  static void append_group(uint64_t address, uint32_t number);
  // Whether there are better ways: both would be part of runs, or their next ones may be.
  static bool is_in_runs(uint64_t address, UpdateSites sites) {
    const OpenRun& writes = runs<true>().ending_at(address);
    return (writes.next == address && writes.site == sites.write()) ||
           is_in_run_of_reads(address, sites.read());
  }
  static bool is_in_run_of_reads(uint64_t address, SiteRef site) {
    return run_for<false>(address, site) != nullptr;
  }

  // Whether an access at a site is in the loop that the thread is in, and foreseen there.
  static bool is_foreseen(SiteRef site) {
    return site.is_in_loop(self.loop) && (site.site()->flags & kForeseenSite) != 0;
  }
  // The thread writes these bytes. If they steer the loop that it is in, what the loop does
  // next may depend on what it read before.
  static void note_write(uint64_t address, uint64_t end) {
    if (self.loop == nullptr || !self.memory->steering.overlap(address, end)) return;
    forget_loop();
  }
  static void begin_loop(const char* loop) {
    self.loop = loop;
    if (self.memory != nullptr) self.memory->steering.clear();
    close_runs();
  }
  // Nothing is foreseen until the next loop begins.
  static void forget_loop() {
    self.loop = nullptr;
    close_runs();
  }

  // What comes now may depend on a read at this site. What is foreseen in its loop does not.
  static void note_read(SiteRef site) {
    ++self.window;
    if (!site.is_in_loop(self.loop)) self.loop_window = self.window;
  }
  // No record so far becomes longer.
  static void close_runs() { self.loop_window = ++self.window; }
  // The same, and the recorder may have them.
  static void settle() {
    close_runs();
    self.settle_at = self.written + kMostOpen;
    self.ring->settled.store(self.written, std::memory_order_release);
  }

  // Begins a new stretch: what is accessed from now on is recorded again.
  static void begin_stretch();

  // A signal handler is about to leave what it interrupted by a jump, and that was the recorder,
  // at any instruction. What it was about to record is lost; all else is as it should be then.
  static void abandon();

  // The recorder is left. Whether something is waiting: then a handler that comes now records it
  // first, and so does whoever is the next to enter. One instruction, so that no handler comes in
  // the middle.
  __attribute__((always_inline)) static bool leave() {
    bool is_waiting;
    __asm__ volatile("andq %[waiting], %[busy]"
                     : [busy] "+m"(self.busy), "=@ccnz"(is_waiting)
                     : [waiting] "i"(kWaiting)
                     : "memory");
    return is_waiting;
  }
  __attribute__((noinline, cold)) static void write_waiting();
  static constexpr uint64_t kForWaiting = WaitingSyncs::kMost + 2;  // records, with two stacks

 private:
  // The thread has recorded before, and may.
  static bool is_quick() {
    return recording_on.load(std::memory_order_relaxed) && self.ring != nullptr && self.busy == 0 &&
           self.hidden == 0;
  }
  static bool begin() {
    self.busy = stack_pointer();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return true;
  }
  // Whether it may else; then it has begun.
  static bool enter();
  // Whether the thread is where it was at the last record.
  static bool is_same_stack() {
    if (self.call == nullptr) return self.stack == 0;
    return self.call->frame >= self.frame && self.call->id == self.stack;
  }
  // Says where it is.
  static void append_stack() {
    if (!is_same_stack()) append_new_stack();
  }
  static void append_new_stack();
  // The same for a record that is no access. Where the site and the stack are known from
  // before it returns a number for both instead: a thread that takes a lock in a function,
  // again and again, does not say each time that it goes there and comes back.
  static uint32_t place(uint32_t site) { return is_same_stack() ? site : place_elsewhere(site); }
  static uint32_t place_elsewhere(uint32_t site);
  // The stack that a record must name itself: none (0) where it is the one that was recorded
  // last, or is by now.
  static uint32_t stack_to_name();
  // The same for an access, which may become a run.
  template <bool kWrite>
  static uint32_t stack_to_name(uint64_t address, SiteRef site);
  static constexpr uint64_t kMostOpen = 4096;  // records, or the recorder has nothing to do
  template <bool kWrite>
  static OpenRuns& runs() {
    return kWrite ? self.memory->writes : self.memory->reads;
  }
  template <bool kWrite>
  static LastRuns& last_runs() {
    return kWrite ? self.memory->last_writes : self.memory->last_reads;
  }
  static Record& record_of(const OpenRun& run) { return self.records[run.record & self.ring_mask]; }
  static bool is_awaited() {
    return (__atomic_load_n(&self.busy, __ATOMIC_RELAXED) & kWaiting) != 0;
  }
  // Records what is waiting: all of it, or what has an earlier stamp. Whether there was anything.
  static bool put_waiting(uint32_t stamp);
  static bool put_all_waiting();
  template <typename IsWanted>
  static bool put_waiting_if(IsWanted is_wanted);
  static void append_waiting();
  static bool has_space() { return self.written < self.limit; }
  static bool make_space(uint64_t records);
  static void put(const Record& record) {
    self.records[self.written & self.ring_mask] = record;
    ++self.written;
    self.ring->written.store(self.written, std::memory_order_release);
  }

  bool granted_;
};

// Forgets the ranges that the thread recorded.
inline void begin_range_stretch() {
  if (++self.range_stretch != 0) return;
  for (uint32_t i = 0; i < kRangeEntries; ++i) self.memory->ranges[i].stretch = 0;
  self.range_stretch = 1;
}

// Whether this is a signal handler that interrupted the recorder,
inline bool interrupts_recorder() { return self.busy > kWaiting; }
// and what is to be done then instead of append_stamped() and begin_stretch().
__attribute__((cold)) void sync_later(Kind kind, uint64_t address, uint32_t size, SiteRef site);

// A synchronisation, which ends the stretch. They use up self.call_site.
void record_sync(Kind kind, const void* object);
void record_sync(Kind kind, uint64_t number);
void record_sync_with(Kind kind, const void* object, uint64_t operand);

// The site of the instrumented call that led here, if there is one; forgets it.
inline SiteRef take_call_site() {
  const SiteRef site = self.call_site;
  self.call_site = SiteRef();
  return site;
}

// In functions that stand in front of libc's: the place of the call is where it
// returns to, if the program's hooks have not said it already.
class CallPlace {
 public:
  __attribute__((always_inline)) explicit CallPlace(const void* return_address) {
    self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    if (self.call_site.is_known() || !recording_on.load(std::memory_order_relaxed)) return;
    self.call_site = SiteRef::before(return_address);
    mine_ = true;
  }
  ~CallPlace() {
    if (mine_) self.call_site = SiteRef();
  }
  CallPlace(const CallPlace&) = delete;
  CallPlace& operator=(const CallPlace&) = delete;

 private:
  bool mine_ = false;
};

// A number for a thread that is about to be created.
uint32_t new_thread_number();
// The calling thread is the one with this number.
void become_thread(uint32_t number);
// The calling thread records no more.
void end_thread();
// Called in the child of fork(), once or more.
void after_fork_in_child();

inline void Entry::append(Kind kind, uint64_t address, uint32_t size, SiteRef site,
                          uint32_t upper) {
  const bool is_range = kind == Kind::read_range || kind == Kind::write_range ||
                        kind == Kind::read_strided || kind == Kind::write_strided;
  uint32_t site_number = number_of(site);
  if (is_range) {
    append_stack();
  } else if (kind != Kind::alloc || site_number != 0) {  // of an unknown place nobody asks more
    site_number = place(site_number);
  }
  if (!has_space() && !make_space(1)) return;
  put(Record::make(kind, address, size, site_number, upper));
  if (kind == Kind::read_range || kind == Kind::read_strided) close_runs();
  if (!is_range) settle();
}

template <bool kWrite>
inline OpenRun* Entry::run_ending_at(uint64_t address, SiteRef site) {
  OpenRun& run = runs<kWrite>().ending_at(address);
  if (run.next != address || run.site != site) return nullptr;
  return run.window >= (is_foreseen(site) ? self.loop_window : self.window) ? &run : nullptr;
}

template <bool kWrite>
inline OpenRun* Entry::run_for(uint64_t address, SiteRef site) {
  OpenRun* const run = run_ending_at<kWrite>(address, site);
  return run != nullptr && is_here(*run) ? run : nullptr;
}

// Since the run was made no loop with foreseen accesses has begun, or it would be closed. So
// this is the same call of the same function, and the stack is that of the run. A range became
// it by join(), which has seen to it that there is space for the bytes up to where it moves.
template <bool kWrite>
inline const LastRun* Entry::last_run_for(uint64_t address, SiteRef site) {
  const LastRun& last = last_runs<kWrite>().of(site);
  const OpenRun* const run = last.run;
  const bool goes_on = run != nullptr && run->next == address && run->site == site &&
                       run->record == last.record && run->window >= self.loop_window &&
                       !OpenRuns::moves_at(address);
  return goes_on ? &last : nullptr;
}

// Since join() found them, the runs have only become longer.
inline bool Entry::has_reads_before(const LastRun& last, uint64_t address, uint32_t size) {
  const OpenRun* const reads = last.reads;
  return reads != nullptr && reads->next == address + size && reads->record == last.reads_record &&
         reads->window >= self.loop_window;
}

inline void Entry::continue_run(OpenRun& run, uint32_t size) {
  Record& record = record_of(run);
  __atomic_store_n(&record.tail, record.tail + (uint64_t{size} << 32), __ATOMIC_RELEASE);
  run.next += size;
}

inline OpenRun* Entry::reads_before(const OpenRun& writes, uint64_t address, uint32_t size) {
  OpenRun& reads = runs<false>().ending_at(address + size);
  const bool is_before = reads.next == address + size && reads.window >= self.loop_window &&
                         static_cast<int32_t>(writes.record - reads.record) > 0 &&
                         record_of(reads).address() <= address;
  return is_before ? &reads : nullptr;
}

// An access beside which hardly anything is recorded in its function: that is most often so
// where a program goes down a tree. It names its stack itself and is no part of a run, unless
// it turns out that it could be.
template <bool kWrite>
inline uint32_t Entry::stack_to_name(uint64_t address, SiteRef site) {
  const uint32_t stack = stack_to_name();
  if (stack == 0) return 0;
  const OpenRun& run = runs<kWrite>().ending_at(address);
  const bool begins_run =
      run.next == address && run.site == site && run.stack == OpenRun::apart(stack);
  if (!begins_run) return stack;
  append_new_stack();
  return 0;
}

inline uint32_t Entry::stack_to_name() {
  if (is_same_stack()) return 0;
  const uint32_t stack = current_stack();
  if (stack == self.stack) return 0;
  if (stack == 0) append_new_stack();
  return stack;
}

template <bool kWrite>
void Entry::append_access(uint64_t address, uint32_t size, SiteRef site) {
  const uint32_t site_number = number_of(site);
  const uint32_t named = stack_to_name<kWrite>(address, site);
  if (!has_space() && !make_space(1)) return;
  if (self.written >= self.settle_at) settle();
  if (!kWrite) note_read(site);
  runs<kWrite>().ending_at(address + size) = {address + size, self.window, site,
                                              static_cast<uint32_t>(self.written),
                                              named == 0 ? self.stack : OpenRun::apart(named)};
  put(Record::make(kWrite ? Kind::write : Kind::read, address, size, site_number, named));
}

// No run, but its end is remembered: if the next update goes on there, that one begins runs.
inline void Entry::append_update(uint64_t address, uint32_t size, UpdateSites sites) {
  const uint32_t number = sites.is_pair() ? number_of(sites.pair()) : number_of(sites.write());
  const uint32_t named = stack_to_name<true>(address, sites.write());
  if (!has_space() && !make_space(1)) return;
  if (self.written >= self.settle_at) settle();
  note_read(sites.read());
  runs<true>().ending_at(address + size) = {address + size, self.window, sites.write(),
                                            static_cast<uint32_t>(self.written),
                                            OpenRun::apart(named == 0 ? self.stack : named)};
  put(Record::make(sites.kind(), address, size, number, named));
}

// Each store leaves a record that can be: the recorder may find any of them.
template <bool kWrite>
inline bool Entry::join(OpenRun& run, uint32_t size) {
  Record& record = record_of(run);
  const bool is_range = record.kind() == kRange<kWrite>;
  const uint64_t bytes = uint64_t{is_range ? record.upper() : record.size()} + size;
  if (bytes > kMostBytes) return false;
  if (is_range && !OpenRuns::moves_with(run.next, size) && !is_foreseen(run.site)) {
    continue_run(run, size);
    return true;
  }
  __atomic_store_n(&record.tail, record.site() | bytes << 32, __ATOMIC_RELEASE);
  if (!is_range) {
    const Record range = Record::make(kRange<kWrite>, record.address(), 0, 0, 0);
    __atomic_store_n(&record.head, range.head, __ATOMIC_RELEASE);
  }
  const SiteRef site = run.site;
  OpenRun& longer = runs<kWrite>().move_end(run, run.next + size);
  if (is_foreseen(site)) {
    const bool has_space = bytes < kMostBytes - OpenRuns::kRegionBytes;
    OpenRun* const reads = kWrite ? reads_before(longer, longer.next - size, size) : nullptr;
    last_runs<kWrite>().of(site) = {has_space ? &longer : nullptr, reads, longer.record,
                                    reads != nullptr ? reads->record : 0};
  }
  return true;
}

template <bool kWrite>
inline bool Entry::join_lone(OpenRun& run, uint32_t size) {
  Record& record = record_of(run);
  const uint32_t bytes = record.size() + size;
  if (bytes > kMostInAccess) return false;
  const Record longer = Record::make(record.kind(), record.address(), bytes, 0, 0);
  __atomic_store_n(&record.head, longer.head, __ATOMIC_RELEASE);
  runs<kWrite>().move_end(run, run.next + size);
  return true;
}

// Keeps errno as it was.
class KeepErrno {
 public:
  KeepErrno();
  ~KeepErrno();
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_;
};

}  // namespace foretrace::runtime
