// SideTrack (paper 000, chapters 18 to 21): atomicity violations of other
// schedules, where a unit acquires a lock twice.
#include <memory>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/analysis.h"
#include "analyses/sidetrack/rules.h"
#include "base/hash.h"
#include "base/text.h"

namespace foretrace {
namespace {

using sidetrack::Acquire;
using sidetrack::AtomicityError;
using sidetrack::ErrorKind;

constexpr std::string_view kName = "sidetrack";
// Of errors that look the same, this many are tried until one has a schedule.
constexpr size_t kTried = 8;

// Labels, the outermost unit first.
std::vector<uint32_t> labels_of(const UnitStack* stack) {
  std::vector<uint32_t> labels;
  for (; stack != nullptr; stack = stack->outer.get()) labels.push_back(stack->label);
  std::reverse(labels.begin(), labels.end());
  return labels;
}

class SideTrack : public Analysis {
 public:
  explicit SideTrack(AnalysisContext context)
      : context_(std::move(context)), rules_([this](const AtomicityError& e) { note(e); }) {}

  void process(const EventBatch& batch) override {
    if (context_.symbols.has_no_units) return;  // nothing should be atomic
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      if (event.op() == Op::skip) continue;
      if (event.resumes != 0) rules_.resume(batch.first_index + i, event);
      if (!is_access(event.op())) rules_.step(batch.first_index + i, event);
    }
  }

  // Only now is it known how often each error was seen.
  void finish() override {
    for (size_t i = 0; i < kinds_.size(); ++i) {
      for (const AtomicityError& error : kinds_[i].errors) {
        context_.propose(candidate_of(error, kinds_[i].count, i + 1));
      }
    }
  }

 private:
  // Errors with the same lock, blame and sites are one to the user.
  struct Alike {
    std::vector<AtomicityError> errors;
    uint64_t count = 0;
  };

  void note(const AtomicityError& error) {
    const auto [entry, fresh] = numbers_.try_emplace(key_of(error), kinds_.size());
    if (fresh) kinds_.emplace_back();
    Alike& alike = kinds_[entry->second];
    ++alike.count;
    // The trace itself shows a culprit in the window: one is enough.
    const size_t wanted = error.kind == ErrorKind::in ? 1 : kTried;
    if (alike.errors.size() < wanted) alike.errors.push_back(error);
  }

  static uint64_t key_of(const AtomicityError& error) {
    uint64_t key = mixed(uint64_t{error.lock} << 2 | static_cast<uint64_t>(error.kind));
    key = mixed(key ^ error.window.units->hash);
    for (const Acquire* acquire : {&error.window.first, &error.window.second, &error.culprit}) {
      key = mixed(key + acquire->event.site);
    }
    return key;
  }

  Candidate candidate_of(const AtomicityError& error, uint64_t count, uint64_t group) const {
    const auto& [first, second, units] = error.window;
    Candidate candidate;
    candidate.analysis = kName;
    candidate.kind = "atomicity-violation";
    if (error.kind == ErrorKind::in) candidate.strength = Strength::observed;
    candidate.lock = error.lock;
    candidate.labels = labels_of(units.get());
    candidate.events = {event_of(first, error.lock, "begins the window"),
                        event_of(error.culprit, error.lock, "gets in between"),
                        event_of(second, error.lock, "ends the window")};
    candidate.order = {{first.index, error.culprit.index}, {error.culprit.index, second.index}};
    candidate.group = group;
    candidate.message =
        fmt::format("{} is not atomic: thread {} {} between two acquires of {} by thread {}",
                    units_text(candidate.labels), name(Space::thread, error.culprit.event.thread),
                    error.kind == ErrorKind::in ? "gets in" : "can get in",
                    name(Space::lock, error.lock), name(Space::thread, first.event.thread));
    candidate.reason = reason(error);
    if (count > 1) candidate.reason += fmt::format(" Seen {} times.", with_commas(count));
    candidate.detail["error"] = sidetrack::name_of(error.kind);
    candidate.detail["count"] = count;
    return candidate;
  }

  CandidateEvent event_of(const Acquire& acquire, LockId lock, std::string role) const {
    if (acquire.event.op() != Op::acq && acquire.event.op() != Op::racq) {
      role += fmt::format(", back from its wait for {}", name(Space::lock, lock));
    }
    return {acquire.index, acquire.event, rules_.locksets().locks(acquire.held), true,
            std::move(role)};
  }

  std::string reason(const AtomicityError& error) const {
    const std::string culprit = name(Space::thread, error.culprit.event.thread);
    const std::string lock = name(Space::lock, error.lock);
    const std::string window = name(Space::thread, error.window.first.event.thread);
    switch (error.kind) {
      case ErrorKind::before:
        return fmt::format(
            "Thread {} had {} before the window, but nothing that thread {} knew then makes it "
            "come before: it could as well have had it between the two acquires.",
            culprit, lock, window);
      case ErrorKind::in:
        return fmt::format("Thread {} had {} between the two acquires.", culprit, lock);
      case ErrorKind::after:
        return fmt::format(
            "Thread {} got {} after the window, but nothing that it knew then makes it come "
            "after: it could as well have had it between the two acquires.",
            culprit, lock);
    }
    return {};
  }

  std::string units_text(const std::vector<uint32_t>& labels) const {
    std::vector<std::string> names;
    for (const uint32_t label : labels) names.push_back(name(Space::label, label));
    return fmt::format("{}", fmt::join(names, ", "));
  }
  std::string name(Space space, uint32_t id) const {
    return printable(context_.symbols.names(space)[id]);
  }

  AnalysisContext context_;
  sidetrack::Rules rules_;
  std::vector<Alike> kinds_;
  tsl::robin_map<uint64_t, size_t, IntegerHash> numbers_;  // places in kinds_
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "units that another thread can get between, where they acquire a lock twice",
    .options = {},
    .needs_deciding = false,
    .ignores_ordered_accesses = true,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<SideTrack>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
