#include "runtime/recorder.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/active.h"
#include "runtime/atomics.h"
#include "runtime/call_stack.h"
#include "runtime/large_blocks.h"
#include "runtime/memory.h"
#include "runtime/modules.h"
#include "runtime/process.h"
#include "runtime/raw_memory.h"
#include "runtime/shadow.h"
#include "runtime/spin_lock.h"
#include "runtime/thread_table.h"

namespace foretrace::runtime {

using namespace recording;

__thread Thread self __attribute__((tls_model("initial-exec")));
std::atomic<bool> recording_on{false};

// Code of the plugin calls hooks only if this is not zero (active.h). Not the same as
// recording_on: a library that steers the program has one of its own in front.
extern "C" {
__attribute__((visibility("default"))) unsigned char __foretrace_active = 0;
}

namespace {

void set_recording(bool on) {
  recording_on.store(on, std::memory_order_relaxed);
  __atomic_store_n(&__foretrace_active, on ? kRecording : 0, __ATOMIC_RELAXED);
}

void stop_recording() { set_recording(false); }

// ---- the process

bool make_names() {
  const uint32_t number = process.session->names.fetch_add(1);
  char name[32];
  std::snprintf(name, sizeof name, "n%u", number);
  process.names = static_cast<NamesHeader*>(map_file(name, kNamesBytes, true, 64 << 10));
  if (process.names == nullptr) return false;
  process.names->next_site = 1;
  process.names->next_label = 1;
  process.names->next_stack = 1;
  process.names->next_group = 1;
  return true;
}

bool make_process(uint32_t names_number) {
  process.number = process.session->processes.fetch_add(1);
  char name[32];
  std::snprintf(name, sizeof name, "p%u", process.number);
  process.header = static_cast<ProcessHeader*>(map_file(name, sizeof(ProcessHeader), true));
  if (process.header == nullptr) return false;
  process.header->pid = ::getpid();
  process.header->names = names_number;
  process.header->next_stamp = 1;
  process.header->ready.store(1, std::memory_order_release);
  return true;
}

bool make_ring(Thread& thread) {
  char name[48];
  std::snprintf(name, sizeof name, "p%u.t%u", process.number, thread.number);
  constexpr uint32_t kFewest = 1024;
  uint32_t capacity = process.session->ring_records;
  const auto make = [&] {
    const size_t bytes = kRingHeaderBytes + capacity * sizeof(Record);
    return map_file(name, bytes, true, bytes);
  };
  void* memory = make();
  for (; memory == nullptr && capacity > kFewest; memory = make()) capacity /= 2;
  if (memory == nullptr) return false;
  thread.ring = static_cast<RingHeader*>(memory);
  thread.records = reinterpret_cast<Record*>(static_cast<char*>(memory) + kRingHeaderBytes);
  thread.ring->capacity = capacity;
  thread.ring_mask = capacity - 1;
  thread.ring->tid = static_cast<int32_t>(::syscall(SYS_gettid));
  thread.written = 0;
  thread.limit = capacity - Entry::kForWaiting;
  thread.window = 1;
  thread.loop_window = 1;
  thread.settle_at = 0;
  thread.ring->ready.store(1, std::memory_order_release);
  return true;
}

// ---- threads

// Makes the thread's ring and filter; the first record is a stamp, so that the
// thread is ordered after whatever made it.
bool attach() {
  const KeepErrno keep;
  if (!self.has_number) become_thread(new_thread_number());
  ThreadMemory* const memory = map_thread_memory(self.number);
  if (memory == nullptr || !make_ring(self)) {
    if (memory != nullptr) unmap_thread_memory(memory);
    process.session->no_room.fetch_add(1);
    self.unable = true;
    return false;
  }
  self.memory = memory;
  self.filter.start(&memory->filter);
  self.range_stretch = 1;
  Entry::append_stamped(Kind::stamp, 0, 0, nullptr);
  return true;
}

bool recorder_is_gone() {
  return process.session->closed.load(std::memory_order_relaxed) != 0 ||
         (::kill(process.session->recorder, 0) != 0 && errno == ESRCH);
}

// Waits until the recorder has made space. Never called between taking a stamp
// and publishing its record: the recorder may be waiting for that one.
bool wait_for_space(uint64_t wanted) {
  const KeepErrno keep;
  Entry::settle();  // the recorder copies no other records
  for (uint32_t round = 0;; ++round) {
    self.limit =
        self.ring->read.load(std::memory_order_acquire) + self.ring->capacity - Entry::kForWaiting;
    if (wanted <= self.limit) return true;
    if (!recording_on.load(std::memory_order_relaxed)) return false;
    if (round % 64 == 63 && recorder_is_gone()) {
      stop_recording();
      return false;
    }
    const timespec pause = {0, 50'000};
    ::syscall(SYS_nanosleep, &pause, nullptr);
  }
}

// ---- fork()

// The threads that held locks are not there.
void release_all_locks() {
  release_atomic_locks();
  release_thread_table();
  release_modules();
  release_large_blocks();
}

void make_own(void* shared, size_t bytes) {
  raw_mmap(shared, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

// A handler that interrupted the recorder has forked. In the child too the recorder goes on when
// it returns: in memory that is nobody else's, and nothing of the child is recorded.
void leave_session() {
  stop_recording();
  if (self.ring != nullptr) {
    make_own(self.ring, kRingHeaderBytes + self.ring->capacity * sizeof(Record));
  }
  make_own(process.header, sizeof(ProcessHeader));
  make_own(process.names, kNamesBytes);
}

}  // namespace

// The child has one thread, a copy of the one that forked. It is a process of
// its own in the session, and its memory is its own from now on.
void after_fork_in_child() {
  if (!recording_on.load(std::memory_order_relaxed) || process.header->pid == ::getpid()) return;
  const KeepErrno keep;
  release_all_locks();
  if (self.busy > kWaiting) return leave_session();
  const uint32_t names_number = process.header->names;
  const Thread before = self;
  Thread fresh = {};
  fresh.calls = before.calls;  // the calls are the same as before
  fresh.call = before.call;
  fresh.last_call = before.last_call;
  fresh.unable = true;  // a signal handler that comes too early
  self = fresh;
  if (before.ring != nullptr) {
    raw_munmap(before.ring, kRingHeaderBytes + before.ring->capacity * sizeof(Record));
    unmap_thread_memory(before.memory);
  }
  clear_shadow();
  forget_large_deaths();
  if (!make_process(names_number)) return stop_recording();
  become_thread(new_thread_number());
  self.unable = false;
  thread_table_add(::pthread_self(), self.number);
}

namespace {

__attribute__((constructor(101))) void start() {
  const char* const folder = std::getenv(kSessionVariable);
  if (folder == nullptr || std::strlen(folder) >= sizeof process.folder) return;
  std::strcpy(process.folder, folder);
  process.session = static_cast<SessionHeader*>(map_file("session", sizeof(SessionHeader), false));
  if (process.session == nullptr || process.session->version != kVersion ||
      process.session->closed != 0) {
    return;
  }
  const uint32_t names_number = process.session->names.load();
  if (!map_shadow() || !make_names() || !make_process(names_number)) {
    process.session->no_room.fetch_add(1);
    return;
  }
  ::pthread_atfork(nullptr, nullptr, after_fork_in_child);
  start_modules();
  // The first thread has the first number, whether it is the first to record or not.
  become_thread(new_thread_number());
  set_recording(true);
  thread_table_add(::pthread_self(), self.number);
}

}  // namespace

// ---- Entry

bool Entry::enter() {
  if (!recording_on.load(std::memory_order_relaxed)) return false;
  if (self.busy > kWaiting) {
    if (self.ring != nullptr) self.ring->dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  if (self.unable) return false;
  const bool any_waits = self.busy == kWaiting;
  if (!any_waits && self.hidden != 0) return false;
  begin();
  if (any_waits) append_waiting();
  if (self.hidden == 0 && (self.ring != nullptr || attach())) return true;
  leave();
  return false;
}

bool Entry::make_space(uint64_t records) {
  const uint64_t wanted = self.written + records;
  return wanted <= self.limit || wait_for_space(wanted);
}

void Entry::append_new_stack() {
  const uint32_t stack = current_stack();
  if (stack == self.stack || !make_space(1)) return;
  self.stack = stack;
  put(Record::make(Kind::stack, stack, 0, 0, 0));
}

uint32_t Entry::place_elsewhere(uint32_t site) {
  const uint32_t stack = current_stack();
  if (stack == self.stack) return site;
  if (site == 0) {  // stays so: whoever reads it must see that it is not known
    append_new_stack();
    return 0;
  }
  PlacedSite& known = self.memory->placed[(site * 31 + stack) % kPlacedSites];
  if (known.site != site || known.stack != stack) {
    known = {site, stack, 0};
  } else {
    if (known.number == 0) known.number = placed_site(site, stack);
    if (known.number != 0) return known.number | kPlacedSite;
  }
  append_new_stack();
  return site;
}

void Entry::append_stamped(Kind kind, uint64_t address, uint32_t size, SiteRef site) {
  const uint32_t site_number = place(number_of(site));
  if (!make_space(1)) return;
  self.stamp = take_stamp();
  const bool any_waited = is_awaited() && put_waiting(self.stamp);
  self.filter.begin_epoch(self.stamp);
  Record record = Record::make(kind, address, size, site_number, self.stamp);
  record.head |= Record::kStamped;
  put(record);
  self.published = self.stamp;
  if (any_waited) begin_stretch();
  settle();
}

void Entry::append_group(uint64_t address, uint32_t number) {
  const uint32_t named = stack_to_name();
  if (!has_space() && !make_space(1)) return;
  if (self.written >= self.settle_at) settle();
  close_runs();  // it reads
  put(Record::make(Kind::read_group, address, 0, number, named));
}

void Entry::append_free(uint64_t address, SiteRef site) {
  const uint32_t site_number = number_of(site);
  const uint32_t stack = site_number != 0 ? stack_to_name() : 0;
  if (!make_space(1)) return;
  put(Record::make(Kind::free, address, 0, site_number, stack));
  settle();
}

void Entry::append_operand(uint64_t number) {
  // The record that follows must find its place too, or the operand is lost.
  if (!make_space(2)) return;
  put(Record::make(Kind::operand, number, 0, 0, 0));
  settle();
}

void Entry::begin_stretch() {
  self.filter.begin_stretch();
  begin_range_stretch();
}

void record_sync(Kind kind, uint64_t number) {
  const SiteRef site = take_call_site();
  if (interrupts_recorder()) return sync_later(kind, number, 0, site);
  const Entry entry;
  if (!entry) return;
  entry.append_stamped(kind, number, 0, site);
  entry.begin_stretch();
}

void record_sync(Kind kind, const void* object) {
  record_sync(kind, reinterpret_cast<uint64_t>(object));
}

void record_sync_with(Kind kind, const void* object, uint64_t operand) {
  const SiteRef site = take_call_site();
  const Entry entry;
  if (!entry) return;
  entry.append_operand(operand);
  entry.append_stamped(kind, reinterpret_cast<uint64_t>(object), 0, site);
  entry.begin_stretch();
}

// ---- threads

uint32_t new_thread_number() { return process.header->threads.fetch_add(1); }

void become_thread(uint32_t number) {
  self.number = number;
  self.has_number = true;
}

void end_thread() {
  if (self.ring == nullptr) return;
  if (self.busy == kWaiting) Entry::write_waiting();
  RingHeader* const ring = self.ring;
  ThreadMemory* const memory = self.memory;
  CallFrame* const calls = self.calls;
  Entry::settle();
  // A signal handler may come at any time, and finds nothing that is gone.
  self.unable = true;
  self.ring = nullptr;
  self.filter.stop();
  self.memory = nullptr;
  self.call = nullptr;
  self.calls = nullptr;
  ring->ended.store(1, std::memory_order_release);
  raw_munmap(ring, kRingHeaderBytes + ring->capacity * sizeof(Record));
  unmap_thread_memory(memory);
  if (calls != nullptr) raw_munmap(calls, kCallsBytes);
}

KeepErrno::KeepErrno() : saved_(errno) {}
KeepErrno::~KeepErrno() { errno = saved_; }

}  // namespace foretrace::runtime
