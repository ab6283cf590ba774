// The causally-precedes race detector (paper 000, part IV), on the whole trace.
#include <memory>
#include <string>

#include "analyses/analysis.h"
#include "analyses/cp/causal_order.h"
#include "analyses/cp/clashing_sections.h"
#include "analyses/cp/edge_search.h"
#include "analyses/race_finder.h"

namespace foretrace::cp {
namespace {

constexpr std::string_view kName = "cp";

// Causally-precedes at the current point of the trace, and what reports need.
class CpState {
 public:
  CpState(const AnalysisContext& context, const BaseEdges& edges)
      : context_(context), order_(edges) {}

  void resume(const Event& event) {
    order_.resume(event);
    accesses_.resume(event);
  }
  void synchronise(uint64_t index, const Event& event) {
    order_.advance(event);
    accesses_.synchronise(index, event);
  }
  Access begin(uint64_t index, const Event& event) {
    return accesses_.begin(index, event, order_.happens_before().epoch(event.thread));
  }
  void end(uint64_t index, const Event& event) { accesses_.end(index, event); }

  bool ordered(const Access& past, ThreadId thread) { return order_.ordered(past.epoch, thread); }

  void propose(const RaceSide& first, const Event& event, const Access& second) {
    const bool hb = !order_.happens_before().ordered(first.access.epoch, event.thread);
    Candidate candidate =
        race_candidate(kName, context_.symbols, accesses_.locksets(), event.object, first,
                       {event.op(), second}, accesses_.observed(first.access, event), reason(hb));
    candidate.detail["hb"] = hb;
    context_.propose(std::move(candidate));
  }

 private:
  static std::string reason(bool hb) {
    if (hb) return "Nothing orders them, not even the locks that the threads happened to take.";
    return "Only locks order them here, through critical sections that could have run in another "
           "order: what they do does not depend on it.";
  }

  const AnalysisContext& context_;
  CausalOrder order_;
  AccessContext accesses_;
};

// Base edges reach back from the end of a section to its start, so the work
// begins when the trace has ended.
class Cp : public Analysis {
 public:
  explicit Cp(AnalysisContext context) : context_(std::move(context)) {}

  void process(const EventBatch& batch) override {
    // Batches that cannot race are missing; indexes stay.
    events_.resize(batch.first_index, make_event(0, Op::skip, 0, kNoSite));
    clashes_.survey(batch.events);
    events_.insert(events_.end(), batch.events.begin(), batch.events.end());
  }

  void finish() override {
    report();
    events_ = {};  // what comes next needs the memory
    clashes_ = {};
  }

  uint64_t passes() const override { return passes_; }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  void report() {
    ++passes_;
    BaseEdges edges = clashes_.connect(events_);
    ++passes_;
    if (!find_edges(edges)) {
      // Half of the edges are worth nothing: too little would be ordered.
      notes_.emplace_back("cp: interrupted before it knew the order of events: no races reported");
      return;
    }
    ++passes_;
    if (context_.settings.flag(kAllPairsOption)) {
      AllPairFinder<CpState> finder(context_.settings);
      find_races(edges, finder);
      notes_ = pair_limit_notes(kName, finder.pairs(), finder.max_pairs(), finder.missed());
    } else {
      FirstPairFinder<CpState> finder;
      find_races(edges, finder);
    }
  }

  // Rule (b), until it adds nothing. False if it was interrupted.
  bool find_edges(BaseEdges& edges) {
    std::vector<Event> synchronisation;
    for (const Event& event : events_) {
      if (event.resumes != 0 || (!is_access(event.op()) && event.op() != Op::skip)) {
        synchronisation.push_back(event);
      }
    }
    for (;;) {
      ++passes_;
      switch (search_edges(edges, synchronisation)) {
        case SearchResult::complete:
          return true;
        case SearchResult::incomplete:
          break;
        case SearchResult::interrupted:
          return false;
      }
    }
  }

  template <typename Finder>
  void find_races(const BaseEdges& edges, Finder& finder) {
    CpState state(context_, edges);
    foretrace::find_races({0, events_, {}, true}, finder, state);
  }

  AnalysisContext context_;
  std::vector<Event> events_;
  ClashingSections clashes_;
  uint64_t passes_ = 0;
  std::vector<std::string> notes_;
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "data races that only the order of independent critical sections hides (CP)",
    .options = {kAllPairsOption, kMaxPairsOption, kMaxAccessesOption},
    .needs_deciding = false,
    .ignores_ordered_accesses = true,
    .only_races = true,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<Cp>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace::cp
