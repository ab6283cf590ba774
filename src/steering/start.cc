// The start of a steered process, what fork() leaves of it, and its end.
#include <pthread.h>

#include "runtime/active.h"
#include "steering/healing.h"
#include "steering/noise.h"
#include "steering/report.h"
#include "steering/script.h"
#include "steering/slot.h"
#include "steering/units.h"
#include "steering/windows.h"

// Code of the plugin calls hooks only if this is not zero; in front of the runtime's.
extern "C" {
__attribute__((visibility("default"))) unsigned char __foretrace_active = 0;
}

#ifdef FORETRACE_STATIC
// The loader puts nothing in front of a static program: this says that all is in it.
__asm__(
    ".pushsection .note.foretrace, \"a\", @note\n"
    ".balign 4\n"
    ".long 16, 0, 1\n"
    ".asciz \"foretrace steer\"\n"
    ".popsection\n");
#endif

namespace foretrace::steering {
namespace {

// The child has one thread, a copy of the one that forked.
void after_fork_in_child() {
  if (!steering_on.load(std::memory_order_relaxed)) return;
  reset_report_lock();
  forget_windows();
  forget_sections_of_others();
  count_process();
}

__attribute__((constructor(103))) void start() {
  if (!read_settings()) return;
  if (settings().report != nullptr) open_report(settings().report);
  prepare_noise();
  prepare_script();
  prepare_sections();
  prepare_units();
  ::pthread_atfork(nullptr, nullptr, after_fork_in_child);
  count_process();
  steering_on.store(true, std::memory_order_release);
  __atomic_store_n(&__foretrace_active, runtime::kSteering, __ATOMIC_RELAXED);
  if (!has_noise && !has_script && !has_sections && !has_units &&
      settings().healing == Healing::none) {
    let_pass_by();
  }
}

__attribute__((destructor(103))) void end() {
  if (!steering_on.load(std::memory_order_relaxed)) return;
  report_healing();
  ReportHeader* const report = report_header();
  if (report == nullptr) return;
  const uint32_t count = slot_count.load();
  for (uint32_t i = 0; i < count; ++i) {
    if (slots[i].used.load()) report->accesses += slots[i].accesses();
  }
}

}  // namespace
}  // namespace foretrace::steering
