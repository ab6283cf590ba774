// Violations of atomic-set serializability (Hammer, Dolby, Vaziri, Tip: paper
// 002): units whose accesses to locations that belong together interleave so that
// no serial order of the units explains what happened.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "analyses/analysis.h"
#include "analyses/atomic-sets/watcher.h"
#include "base/text.h"

namespace foretrace {
namespace {

using atomic_sets::Granularity;
using atomic_sets::kPatternCount;
using atomic_sets::kPatterns;
using atomic_sets::Pattern;
using atomic_sets::PatternAccess;
using atomic_sets::Violation;
using atomic_sets::Watcher;

constexpr std::string_view kName = "atomic-sets";

constexpr std::array<std::string_view, 3> kSetsChoices = {"object", "location", "all"};
constexpr AnalysisOption kSetsOption = {
    "sets", "", "object",
    "What belongs together: the fields of an object and what is declared, nothing, or everything",
    kSetsChoices};
constexpr AnalysisOption kMaxViolationsOption = {
    "max-violations", "N", "100k", "Stop listing violations of atomic sets after N, and say so"};

// Events are kept up to this number, in case a directive comes after what it is
// about: 64 MB.
constexpr size_t kKeptEvents = size_t{4} << 20;

Granularity granularity_of(std::string_view choice) {
  return choice == "all"        ? Granularity::all
         : choice == "location" ? Granularity::location
                                : Granularity::object;
}

class AtomicSets : public Analysis {
 public:
  explicit AtomicSets(AnalysisContext context)
      : context_(std::move(context)),
        max_violations_(context_.settings.count(kMaxViolationsOption)) {
    start();
  }

  void process(const EventBatch& batch) override {
    if (!watcher_->update()) too_late_ = true;
    keep(batch);
    // What was found so far may be wrong, so it is done again at the end.
    if (too_late_ && kept_all_) return;
    for (size_t i = 0; i < batch.events.size(); ++i) {
      if (batch.events[i].op() != Op::skip) watcher_->see(batch.first_index + i, batch.events[i]);
    }
  }

  void finish() override {
    if (!watcher_->update()) too_late_ = true;
    if (too_late_ && kept_all_) start_again();
    for (const Violation& violation : violations_) context_.propose(candidate_of(violation));
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    if (too_late_ && !kept_all_) {
      notes.push_back(fmt::format(
          "{}: a set or unit directive came after more than {} events; for events before it, it "
          "was not regarded",
          kName, with_commas(kKeptEvents)));
    }
    if (found_ > violations_.size()) {
      notes.push_back(
          fmt::format("{}: {} were found; only the first {} are listed "
                      "(--max-violations)",
                      kName, counted(found_, "violation"), with_commas(max_violations_)));
    }
    return notes;
  }

  std::vector<Figure> figures() const override {
    std::vector<Figure> rows;
    if (found_ == 0) return rows;
    for (size_t i = 0; i < kPatternCount; ++i) {
      rows.push_back({fmt::format("pattern {:>2}  {}", i + 1, kPatterns[i].text()), counts_[i],
                      with_commas(counts_[i])});
    }
    const uint64_t most = watcher_->most_summaries();
    rows.push_back({"summaries at once, at most", most, with_commas(most)});
    return rows;
  }

  uint64_t passes() const override { return too_late_ && kept_all_ ? 2 : 1; }

 private:
  void start() {
    violations_.clear();
    counts_ = {};
    found_ = 0;
    watcher_ = std::make_unique<Watcher>(context_.symbols,
                                         granularity_of(context_.settings.choice(kSetsOption)),
                                         [this](const Violation& violation) { add(violation); });
  }

  void start_again() {
    start();
    for (uint64_t i = 0; i < events_.size(); ++i) {
      if (events_[i].op() != Op::skip) watcher_->see(i, events_[i]);
    }
  }

  void keep(const EventBatch& batch) {
    if (!kept_all_) return;
    if (events_.size() + batch.events.size() > kKeptEvents && !too_late_) {
      kept_all_ = false;
      events_ = {};
      return;
    }
    events_.insert(events_.end(), batch.events.begin(), batch.events.end());
  }

  void add(const Violation& violation) {
    ++found_;
    ++counts_[violation.key.pattern];
    if (violations_.size() < max_violations_) violations_.push_back(violation);
  }

  Candidate candidate_of(const Violation& violation) const {
    const Pattern& pattern = kPatterns[violation.key.pattern];
    const std::string& set = watcher_->sets().name(violation.key.set);
    Candidate candidate;
    candidate.analysis = kName;
    candidate.kind = "atomic-set-violation";
    candidate.strength = Strength::observed;
    candidate.variable = violation.key.first;
    candidate.labels.push_back(violation.label);
    const bool is_lone = violation.other_label == atomic_sets::kNoLabel;
    if (!is_lone) candidate.labels.push_back(violation.other_label);
    for (size_t i = 0; i < pattern.length; ++i) {
      candidate.events.push_back(event_of(violation, i));
      // So that the beginning of the trace becomes the witness.
      if (i > 0)
        candidate.order.emplace_back(violation.moments[i - 1].index, violation.moments[i].index);
    }
    candidate.message = fmt::format(
        "units are not serializable on {}: {} of thread {} and {} of thread {} interleave: {}",
        printable(set), unit_name(violation.label), thread_name(violation.key.thread),
        unit_name(violation.other_label), thread_name(violation.key.other_thread), pattern.meaning);
    candidate.reason = reason(violation, pattern, set);
    add_detail(candidate.detail, violation, pattern, set);
    return candidate;
  }

  CandidateEvent event_of(const Violation& violation, size_t place) const {
    const PatternAccess& access = kPatterns[violation.key.pattern].accesses[place];
    const atomic_sets::Moment& moment = violation.moments[place];
    return {moment.index,
            make_event(access.other ? violation.key.other_thread : violation.key.thread,
                       access.writes ? Op::wr : Op::rd,
                       access.second ? violation.key.second : violation.key.first, moment.site),
            watcher_->locksets().locks(moment.held), true,
            access.other ? "u': " + unit_name(violation.other_label)
                         : "u: " + unit_name(violation.label)};
  }

  std::string reason(const Violation& violation, const Pattern& pattern,
                     const std::string& set) const {
    return fmt::format(
        "Pattern {}, {}, on the set {}: u is {} of thread {}, u' is {} of thread {}. No serial "
        "order of the two explains this: {}.",
        pattern.number, pattern.text(), printable(set), unit_name(violation.label),
        thread_name(violation.key.thread), unit_name(violation.other_label),
        thread_name(violation.key.other_thread), pattern.meaning);
  }

  void add_detail(nlohmann::ordered_json& detail, const Violation& violation,
                  const Pattern& pattern, const std::string& set) const {
    detail["pattern"] = pattern.number;
    detail["accesses"] = pattern.text();
    detail["meaning"] = pattern.meaning;
    detail["set"] = set;
    detail["threads"] = {context_.symbols.thread(violation.key.thread),
                         context_.symbols.thread(violation.key.other_thread)};
    detail["locations"] = {context_.symbols.location(violation.key.first)};
    if (pattern.has_two_locations()) {
      detail["locations"].push_back(context_.symbols.location(violation.key.second));
    }
  }

  std::string thread_name(ThreadId thread) const {
    return printable(context_.symbols.thread(thread));
  }
  std::string unit_name(uint32_t label) const {
    if (label == atomic_sets::kNoLabel) return "an access outside of units";
    return printable(context_.symbols.names(Space::label)[label]);
  }

  AnalysisContext context_;
  const uint64_t max_violations_;
  std::unique_ptr<Watcher> watcher_;
  std::vector<Violation> violations_;
  std::array<uint64_t, kPatternCount> counts_ = {};
  uint64_t found_ = 0;
  std::vector<Event> events_;  // all so far, if kept_all_
  bool kept_all_ = true;
  bool too_late_ = false;  // a directive was about what had come before it
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "units that interleave on locations which belong together (14 patterns)",
    .options = {kSetsOption, kMaxViolationsOption},
    .needs_deciding = false,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<AtomicSets>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
