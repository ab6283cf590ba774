// Nondeterministic reads (Sinha, Malik, Gupta: paper 001): a read that sees
// another write, or none, in another schedule of the same run.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/analysis.h"
#include "analyses/nondeterminism/witnesses.h"
#include "base/hash.h"
#include "base/text.h"
#include "order/lockset.h"

namespace foretrace {
namespace {

using nondeterminism::kNone;
using nondeterminism::NondeterministicRead;
using nondeterminism::StepId;
using nondeterminism::WitnessCounts;
using nondeterminism::WitnessFinder;

constexpr std::string_view kName = "nondeterminism";

constexpr AnalysisOption kTableOption = {
    "table", "", "",
    "Say how many witnesses of nondeterminism are possible, and how each was decided"};
constexpr AnalysisOption kMaxWitnessesOption = {
    "max-witnesses", "N", "10M",
    "Look at no more than N possible witnesses of nondeterminism, and say so"};
constexpr AnalysisOption kMaxReadsOption = {
    "max-reads", "N", "10k",
    "List each nondeterministic read with each write that it can see, up to N; if there are more, "
    "one for all at the same places"};

// Choice graphs that are explored for one witness; the paper needed 1.03.
constexpr uint64_t kMaxChoiceGraphs = 1'000;
// Clock entries that a witness may need, on average. In a long trace, what is far
// away from a read needs much of what lies between.
constexpr uint64_t kWorkPerWitness = 50;
// Steps times threads that still get clocks: 1 GB.
constexpr uint64_t kLargestGraph = uint64_t{1} << 28;
// Of the reads and challengers at the same places, so many are tried.
constexpr uint64_t kTriedPerPlaces = 64;
// A schedule may be as long as the trace, so in a long trace fewer are looked for:
// this many events of schedules in all, but at least some schedules.
constexpr uint64_t kScheduledEvents = 1'000'000'000;
constexpr uint64_t kFewestSchedules = 1'000;

std::string percent(uint64_t part, uint64_t whole) {
  return fmt::format(
      "{} ({:.1f}%)", with_commas(part),
      whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

double per(double sum, uint64_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); }

// Column 1 of Table A1.
struct TraceCounts {
  uint64_t lock_events = 0;
  uint64_t accesses = 0;
  uint64_t wait_notify_events = 0;

  void add(Op op) {
    switch (space_of(op)) {
      case Space::location:
        ++accesses;
        break;
      case Space::lock:
        ++(op == Op::wait || op == Op::notify || op == Op::notifyall ? wait_notify_events
                                                                     : lock_events);
        break;
      default:
        break;
    }
  }
};

class Nondeterminism : public Analysis {
 public:
  explicit Nondeterminism(AnalysisContext context)
      : context_(std::move(context)), held_now_(locksets_) {
    // The symbols outlive the analysis.
    trace_.symbols = std::shared_ptr<const Symbols>(std::shared_ptr<void>(), &context_.symbols);
  }

  void process(const EventBatch& batch) override {
    for (const Event& event : batch.events) {
      trace_.events.push_back(event);
      held_.push_back(kEmptyLockset);
      if (event.op() == Op::skip) continue;
      if (event.resumes != 0) held_now_.resume(event);
      held_now_.advance(event);
      held_.back() = held_now_.held(event.thread);
      trace_counts_.add(event.op());
    }
  }

  void finish() override {
    const auto start = std::chrono::steady_clock::now();
    if (trace_.events.size() * context_.symbols.names(Space::thread).size() > kLargestGraph) {
      too_large_ = true;
      return;
    }
    const Model model(trace_);
    const uint64_t witnesses = context_.settings.count(kMaxWitnessesOption);
    WitnessFinder finder(model, {witnesses, witnesses * kWorkPerWitness, kMaxChoiceGraphs});
    finder.run([&](const NondeterministicRead& found) { found_.push_back(found); });
    counts_ = finder.counts();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    propose_all(finder.graph());
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    if (too_large_) {
      notes.push_back(fmt::format("{}: the trace is too long: {} of {} need too much memory", kName,
                                  counted(trace_.events.size(), "event"),
                                  counted(context_.symbols.names(Space::thread).size(), "thread")));
    }
    if (counts_.left_out > 0) {
      notes.push_back(
          fmt::format("{}: {} were not looked at (--max-witnesses)", kName,
                      counted(counts_.left_out, "possible witness", "possible witnesses")));
    }
    if (counts_.undecided > 0) {
      notes.push_back(
          fmt::format("{}: {} with too many choices were left undecided (--max-witnesses)", kName,
                      counted(counts_.undecided, "possible witness", "possible witnesses")));
    }
    if (not_tried_ > 0) {
      notes.push_back(
          fmt::format("{}: of {}, {} were not tried: too many, or too many at the same places",
                      kName, counted(found_.size(), "read and challenger", "reads and challengers"),
                      with_commas(not_tried_)));
    }
    return notes;
  }

  std::vector<Figure> figures() const override {
    if (!context_.settings.flag(kTableOption)) return {};
    std::vector<Figure> rows;
    const auto add = [&](std::string name, uint64_t value) {
      rows.push_back({std::move(name), value, with_commas(value)});
    };
    const auto add_share = [&](std::string name, uint64_t value) {
      rows.push_back({std::move(name), value, percent(value, counts_.possible)});
    };
    const auto add_mean = [&](std::string name, double sum, uint64_t count) {
      const double mean = per(sum, count);
      rows.push_back({std::move(name), mean, count == 0 ? "–" : fmt::format("{:.4g}", mean)});
    };
    add("threads", context_.symbols.names(Space::thread).size());
    add("events", trace_.events.size());
    add("lock events", trace_counts_.lock_events);
    add("locks", context_.symbols.names(Space::lock).size());
    add("reads and writes", trace_counts_.accesses);
    add("locations", context_.symbols.names(Space::location).size());
    add("wait and notify events", trace_counts_.wait_notify_events);
    add("possible witnesses", counts_.possible);
    add_share("with a cycle in the witness order graph: infeasible", counts_.cyclic);
    add_share("without choice edges: feasible", counts_.without_choices);
    add_share("with choice edges", counts_.with_choices);
    add_mean("possible choice graphs for each of these", counts_.choice_graphs,
             counts_.with_choices);
    add_mean("explored choice graphs for each of these",
             static_cast<double>(counts_.explored_graphs), counts_.with_choices);
    rows.push_back({"seconds", seconds_, fmt::format("{:.3f}", seconds_)});
    add_share("feasible witnesses", counts_.feasible());
    add_share("infeasible witnesses", counts_.infeasible());
    const uint64_t graphs = counts_.possible - counts_.with_choices + counts_.explored_graphs;
    add_mean("graphs for each possible witness", static_cast<double>(graphs), counts_.possible);
    return rows;
  }

 private:
  // What is summarised: the reads and challengers at the same places.
  struct Places {
    uint64_t group = 0;
    uint64_t count = 0;
  };

  void propose_all(const nondeterminism::PartialOrderGraph& graph) {
    std::sort(found_.begin(), found_.end(),
              [&](const NondeterministicRead& a, const NondeterministicRead& b) {
                return std::pair(graph.index(a.read), event_of(graph, a.challenger)) <
                       std::pair(graph.index(b.read), event_of(graph, b.challenger));
              });
    const uint64_t most =
        std::max(kFewestSchedules, kScheduledEvents / std::max<uint64_t>(trace_.events.size(), 1));
    const bool each = found_.size() <= std::min(most, context_.settings.count(kMaxReadsOption));
    if (!each) {
      for (const NondeterministicRead& found : found_) ++places_[places_key(graph, found)].count;
    }
    uint64_t proposed = 0;
    tsl::robin_map<uint64_t, uint64_t, IntegerHash> tried;
    for (const NondeterministicRead& found : found_) {
      const uint64_t key = each ? 0 : places_key(graph, found);
      if (!each && (proposed == most || ++tried[key] > kTriedPerPlaces)) {
        ++not_tried_;
        continue;
      }
      ++proposed;
      Candidate candidate = candidate_of(graph, found);
      if (!each) summarise(candidate, places_[key]);
      context_.propose(std::move(candidate));
    }
  }

  // Of the read and of the challenger: the site, or else the thread.
  uint64_t places_key(const nondeterminism::PartialOrderGraph& graph,
                      const NondeterministicRead& found) const {
    const Event& read = trace_.events[graph.index(found.read)];
    const uint64_t key = mixed(uint64_t{read.object} << 32 | place_of(read));
    if (found.challenger == kNone) return key;
    return mixed(key + place_of(trace_.events[graph.index(found.challenger)]) + 1);
  }
  static uint64_t place_of(const Event& event) {
    return event.site != kNoSite ? uint64_t{event.site} << 1 : uint64_t{event.thread} << 1 | 1;
  }

  void summarise(Candidate& candidate, Places& places) {
    if (places.group == 0) places.group = ++groups_;
    candidate.group = places.group;
    candidate.detail["same_places"] = places.count;
    candidate.reason +=
        fmt::format(" The same places make {}.",
                    counted(places.count, "read and challenger", "reads and challengers"));
  }

  static std::optional<uint64_t> event_of(const nondeterminism::PartialOrderGraph& graph,
                                          StepId step) {
    return step == kNone ? std::nullopt : std::optional(graph.index(step));
  }

  Candidate candidate_of(const nondeterminism::PartialOrderGraph& graph,
                         const NondeterministicRead& found) const {
    const uint64_t read = graph.index(found.read);
    const std::optional<uint64_t> writer = event_of(graph, graph.writer(found.read));
    const std::optional<uint64_t> challenger = event_of(graph, found.challenger);
    Candidate candidate;
    candidate.analysis = kName;
    candidate.kind = "nondeterministic-read";
    candidate.variable = trace_.events[read].object;
    candidate.other_read = {read, writer, challenger};
    candidate.events.push_back(candidate_event(read, "the read"));
    if (writer) candidate.events.push_back(candidate_event(*writer, "what it saw"));
    if (challenger) candidate.events.push_back(candidate_event(*challenger, "what it can see"));
    const std::string seen =
        fmt::format("saw {} and can see {}", source_text(writer), source_text(challenger));
    candidate.message = fmt::format("nondeterministic read of {}: thread {}, reading it at {}, {}",
                                    printable(context_.symbols.location(*candidate.variable)),
                                    thread_name(read), place_text(read), seen);
    candidate.reason = fmt::format("The read at {} {} in another schedule of the same run.",
                                   place_text(read), seen);
    candidate.detail["read"] = read;
    candidate.detail["writer"] = or_null(writer);
    candidate.detail["challenger"] = or_null(challenger);
    candidate.detail["order"] = name_of(found.order);
    return candidate;
  }

  CandidateEvent candidate_event(uint64_t index, std::string role) const {
    return {index, trace_.events[index], locksets_.locks(held_[index]), true, std::move(role)};
  }
  static nlohmann::ordered_json or_null(const std::optional<uint64_t>& index) {
    return index ? nlohmann::ordered_json(*index) : nlohmann::ordered_json(nullptr);
  }
  std::string thread_name(uint64_t index) const {
    return printable(context_.symbols.thread(trace_.events[index].thread));
  }
  std::string place_text(uint64_t index) const {
    const std::string site = context_.symbols.site_text(trace_.events[index].site);
    return site.empty() ? fmt::format("event {}", index)
                        : fmt::format("event {}, {}", index, printable(site, 200));
  }
  std::string source_text(const std::optional<uint64_t>& write) const {
    if (!write) return "the initial value";
    return fmt::format("the write by thread {} at {}", thread_name(*write), place_text(*write));
  }

  AnalysisContext context_;
  Trace trace_;
  LocksetTable locksets_;
  HeldLocks held_now_;
  std::vector<LocksetId> held_;  // by event
  TraceCounts trace_counts_;
  std::vector<NondeterministicRead> found_;
  tsl::robin_map<uint64_t, Places, IntegerHash> places_;
  uint64_t groups_ = 0;
  uint64_t not_tried_ = 0;
  WitnessCounts counts_;
  double seconds_ = 0;
  bool too_large_ = false;
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "reads that see another write in another schedule, with a schedule that shows it",
    .options = {kTableOption, kMaxWitnessesOption, kMaxReadsOption},
    .needs_deciding = true,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<Nondeterminism>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
