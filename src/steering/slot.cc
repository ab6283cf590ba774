#include "steering/slot.h"

#include <cstring>

#include <sys/mman.h>

#include "runtime/last_words.h"
#include "steering/healing.h"
#include "steering/report.h"
#include "steering/sections.h"
#include "steering/settings.h"
#include "steering/system.h"

namespace foretrace::steering {

// Threads may come by before objects of this library would be made: there are none to be made.
constinit Slot slots[kMostSlots];
std::atomic<uint32_t> slot_count{0};
constinit Slot nobody;
__thread Self self __attribute__((tls_model("initial-exec"))) = {};
std::atomic<bool> steering_on{false};

namespace {

std::atomic<uint32_t> next_number{1};

Slot* free_slot() {
  for (uint32_t i = 0; i < kMostSlots; ++i) {
    bool expected = false;
    if (slots[i].used.load(std::memory_order_relaxed) ||
        !slots[i].used.compare_exchange_strong(expected, true)) {
      continue;
    }
    uint32_t count = slot_count.load();
    while (count < i + 1 && !slot_count.compare_exchange_weak(count, i + 1)) {
    }
    return &slots[i];
  }
  return nullptr;
}

// Whether the slot has space for calls.
bool has_calls(Slot& slot) {
  if (slot.calls != nullptr) return true;
  void* const memory =
      ::mmap(nullptr, (kOutermost + kMostFrames) * sizeof(CallFrame), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* const frames = static_cast<CallFrame*>(memory);
  for (uint32_t i = 0; i < kOutermost; ++i) frames[i].frame = UINT64_MAX;
  slot.calls = frames + kOutermost;
  return true;
}

using GiveSlotBack = runtime::LastWords<detach>;
__attribute__((constructor(102))) void make_last_words() { GiveSlotBack::make(); }

}  // namespace

uint32_t new_thread_number() { return next_number.fetch_add(1); }

bool attach() {
  self.inside = true;
  const bool is_main = system_call(SYS_gettid) == system_call(SYS_getpid);
  if (!self.numbered) self.number = is_main ? 0 : new_thread_number();
  self.numbered = true;
  Slot* const slot = free_slot();
  ReportHeader* const report = report_header();
  if (report != nullptr) ++report->threads;
  if (slot == nullptr || !has_calls(*slot)) {
    if (slot != nullptr) slot->used.store(false, std::memory_order_release);
    self.unwatched = true;
    if (report != nullptr) ++report->unwatched;
    self.inside = false;
    return false;
  }
  slot->depth = 0;
  slot->turns_before = slot->turns.load(std::memory_order_relaxed);
  for (std::atomic<uint64_t>& count : slot->looks) count.store(0, std::memory_order_relaxed);
  slot->number = self.number;
  slot->tid = static_cast<int32_t>(system_call(SYS_gettid));
  std::memcpy(slot->started, self.started, sizeof slot->started);
  self.random = settings().seed * 0x9E3779B97F4A7C15U ^ uint64_t { self.number } << 32;
  slot->priority = static_cast<uint32_t>(next_random() >> 33);
  self.slot = slot;
  self.mark = static_cast<uint16_t>(index_of(*slot) + 1);
  GiveSlotBack::ask();
  self.inside = false;
  return true;
}

void detach() {
  Slot* const slot = self.slot;
  self.unwatched = true;
  if (slot == nullptr) return;
  settle_healing();
  leave_all_sections();
  self.slot = nullptr;
  self.idle = &nobody;
  if (ReportHeader* const report = report_header()) report->accesses += slot->accesses();
  if (is_window_open(*slot)) take_turn(*slot);
  slot->waits_for.store(0);
  slot->used.store(false, std::memory_order_release);
}

}  // namespace foretrace::steering
