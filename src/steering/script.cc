#include "steering/script.h"

#include <sys/mman.h>

#include "steering/hold.h"

namespace foretrace::steering {

bool has_script = false;

namespace {

struct StepState {
  std::atomic<bool> done;       // or left out
  std::atomic<bool> reached;    // a thread is or was held there
  std::atomic<uint8_t> missed;  // how often a thread was held there in vain
};
constexpr uint8_t kMostMisses = 4;

std::atomic<uint32_t> turn{0};  // the first step that is not done
StepState* states = nullptr;

bool is_done(uint32_t step) { return states[step].done.load(std::memory_order_acquire); }

void advance() {
  uint32_t at = turn.load();
  while (at < settings().step_count && is_done(at)) {
    if (turn.compare_exchange_weak(at, at + 1)) ++at;
  }
}

void tell(uint32_t step, const char* what) {
  ReportEntry entry;
  entry.line("step\t%u\t%s", step, what);
}

void finish(uint32_t step) {
  if (!states[step].done.exchange(true)) {
    tell(step, "done");
    if (ReportHeader* const report = report_header()) ++report->steps;
  }
  advance();
}

// The thread could not wait any longer for what comes before.
void leave_out_before(uint32_t step) {
  for (uint32_t i = 0; i < step; ++i) {
    if (settings().steps[i].last || states[i].done.exchange(true)) continue;
    if (ReportHeader* const report = report_header()) ++report->steps_left_out;
  }
  advance();
}

bool is_for_me(const Step& step) {
  return step.thread < 0 || static_cast<uint32_t>(step.thread) == self.number;
}

// The thread's next step at this place: the first that is not done. An access
// counts only once the thread's synchronisations before it are done: before that,
// it is another round of a loop.
const Rule* next_step(const Place& place, bool write, bool sync) {
  const Rule* found = nullptr;
  for_rules(place, Purpose::step, write, [&](const Rule& rule) {
    const Step& step = settings().steps[rule.number];
    if (step.sync != sync || !is_for_me(step) || is_done(rule.number)) return;
    if (found == nullptr || rule.number < found->number) found = &rule;
  });
  if (found == nullptr || sync) return found;
  for (uint32_t i = 0; i < found->number; ++i) {
    const Step& earlier = settings().steps[i];
    if (earlier.sync && earlier.thread >= 0 && is_for_me(earlier) && !is_done(i)) return nullptr;
  }
  return found;
}

}  // namespace

void prepare_script() {
  const uint32_t count = settings().step_count;
  // Zeros; never given back.
  void* const memory = count == 0
                           ? MAP_FAILED
                           : ::mmap(nullptr, count * sizeof(StepState), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  has_script = memory != MAP_FAILED;
  if (has_script) states = static_cast<StepState*>(memory);
}

namespace {

// Steps that come in their turn.
void take_turn(uint32_t step) {
  if (!hold_until(settings().hold, [&] { return turn.load() >= step; })) leave_out_before(step);
  finish(step);
}

bool all_last_are_reached() {
  for (uint32_t i = 0; i < settings().step_count; ++i) {
    if (settings().steps[i].last && !states[i].reached.load()) return false;
  }
  return true;
}

void note_miss(uint32_t step) {
  tell(step, "missed");
  if (states[step].missed.fetch_add(1) + 1 >= kMostMisses) states[step].done.store(true);
}

}  // namespace

void follow_script_at_sync(SiteRef site) {
  const Rule* const rule = next_step(place_of(site), true, true);
  if (rule == nullptr) return;
  const uint32_t step = rule->number;
  if (!settings().steps[step].last) return take_turn(step);
  // The threads of a deadlock wait for each other here, and then go on.
  states[step].reached.store(true);
  if (hold_until(settings().hold * 4, all_last_are_reached)) {
    finish(step);
  } else {
    states[step].reached.store(false);
    note_miss(step);
  }
}

void follow_script_at_access(bool write, SiteRef site) {
  const Rule* const rule = next_step(place_of(site), write, false);
  if (rule == nullptr) return;
  const uint32_t step = rule->number;
  if (!settings().steps[step].last) return take_turn(step);
  // Whoever comes to the other access while this window is open is caught.
  Slot& slot = *self.slot;
  const auto is_caught = [&] { return slot.caught.load(std::memory_order_relaxed); };
  if (is_caught() || hold_until(settings().hold * 4, is_caught)) {
    finish(step);
  } else {
    note_miss(step);
  }
}

}  // namespace foretrace::steering
