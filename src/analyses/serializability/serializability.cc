// Serializability: cycles of units in the observed trace, as Velodrome finds them.
#include <memory>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/analysis.h"
#include "analyses/serializability/conflicts.h"
#include "base/hash.h"
#include "base/text.h"

namespace foretrace {
namespace {

using serializability::Conflicts;
using serializability::Cycle;
using serializability::Edge;
using serializability::kNoLabel;
using serializability::Occurrence;
using serializability::Violation;

constexpr std::string_view kName = "serializability";

class Serializability : public Analysis {
 public:
  explicit Serializability(AnalysisContext context)
      : context_(std::move(context)), conflicts_([this](const Violation& v) { note(v); }) {}

  void process(const EventBatch& batch) override {
    constexpr size_t kAhead = 12;  // as in hb
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      if (i + kAhead < batch.events.size()) conflicts_.prefetch(batch.events[i + kAhead]);
      if (event.op() != Op::skip) conflicts_.process(batch.first_index + i, event);
    }
  }

  // Only now is it known how often each cycle was seen.
  void finish() override {
    for (const Alike& alike : kinds_) context_.propose(candidate_of(alike));
  }

 private:
  // Cycles of units with the same labels, operations and sites are one to the
  // user; the first one is shown.
  struct Alike {
    Cycle cycle;
    std::vector<uint32_t> blamed;  // labels, outermost first
    uint64_t count = 0;
  };

  void note(const Violation& violation) {
    const auto [entry, fresh] = numbers_.try_emplace(key_of(violation.cycle), kinds_.size());
    if (fresh) {
      const uint64_t left = violation.cycle.front().from.index;
      kinds_.push_back(
          {violation.cycle, violation.units.labels(violation.units.containing(left)), 0});
    }
    ++kinds_[entry->second].count;
  }

  static uint64_t key_of(const Cycle& cycle) {
    uint64_t key = 0;
    for (const Edge& edge : cycle) {
      for (const Occurrence* event : {&edge.from, &edge.to}) {
        key = mixed(key + event->label);
        key = mixed(key + (uint64_t{event->site} << 8 | event->op_bits));
      }
    }
    return key;
  }

  Candidate candidate_of(const Alike& alike) const {
    const Cycle& cycle = alike.cycle;
    Candidate candidate;
    candidate.analysis = kName;
    candidate.kind = "atomicity-violation";
    candidate.strength = Strength::observed;
    for (const Edge& edge : cycle) {
      add_event(candidate, edge.from);
      add_event(candidate, edge.to);
      candidate.order.emplace_back(edge.from.index, edge.to.index);
    }
    name_object(candidate, cycle);
    candidate.labels = units_of(cycle);
    candidate.message =
        fmt::format("{} is not atomic: {}", name(Space::label, alike.blamed.front()), story(cycle));
    candidate.reason =
        "No order of whole units, one after the other, gives this: " + story(cycle) + ".";
    candidate.detail["blamed"] = names(alike.blamed);
    candidate.detail["cycle"] = cycle_detail(cycle);
    candidate.detail["count"] = alike.count;
    return candidate;
  }

  // An event that ends one edge and begins the next is shown once.
  void add_event(Candidate& candidate, const Occurrence& event) const {
    if (!candidate.events.empty() && candidate.events.back().index == event.index) return;
    CandidateEvent& added = candidate.events.emplace_back();
    added.index = event.index;
    added.event = make_event(event.thread, event.op(), event.object, event.site);
    added.held_known = false;
    added.role =
        event.label == kNoLabel ? "outside of units" : "in " + name(Space::label, event.label);
  }

  // What it is about, if that is one thing.
  static void name_object(Candidate& candidate, const Cycle& cycle) {
    const Occurrence& one = cycle.front().from;
    for (const Edge& edge : cycle) {
      for (const Occurrence* event : {&edge.from, &edge.to}) {
        if (event->object != one.object || space_of(event->op()) != space_of(one.op())) return;
      }
    }
    if (space_of(one.op()) == Space::location) candidate.variable = one.object;
    if (space_of(one.op()) == Space::lock) candidate.lock = one.object;
  }

  // The labels of the units, from the one that the cycle begins and ends in.
  static std::vector<uint32_t> units_of(const Cycle& cycle) {
    std::vector<uint32_t> labels = {cycle.front().from.label};
    for (size_t i = 0; i + 1 < cycle.size(); ++i) {
      const Occurrence& in = cycle[i].to;
      const Occurrence& out = cycle[i + 1].from;
      if (in.label != kNoLabel) labels.push_back(in.label);
      if (out.label != kNoLabel && out.node != in.node) labels.push_back(out.label);
    }
    return labels;
  }

  std::string story(const Cycle& cycle) const {
    std::string text;
    for (const Edge& edge : cycle) {
      text += fmt::format("{}{} comes before {}", text.empty() ? "" : ", ", described(edge.from),
                          described(edge.to));
    }
    return text;
  }
  std::string described(const Occurrence& event) const {
    return fmt::format("event {} of thread {}", event.index, name(Space::thread, event.thread));
  }

  nlohmann::ordered_json cycle_detail(const Cycle& cycle) const {
    auto edges = nlohmann::ordered_json::array();
    for (const Edge& edge : cycle) {
      edges.push_back({{"from", unit_detail(edge.from)}, {"to", unit_detail(edge.to)}});
    }
    return edges;
  }
  nlohmann::ordered_json unit_detail(const Occurrence& event) const {
    nlohmann::ordered_json unit = nullptr;
    if (event.label != kNoLabel) unit = context_.symbols.names(Space::label)[event.label];
    return {
        {"unit", unit}, {"thread", context_.symbols.thread(event.thread)}, {"event", event.index}};
  }

  std::vector<std::string> names(const std::vector<uint32_t>& labels) const {
    std::vector<std::string> all;
    for (const uint32_t label : labels)
      all.emplace_back(context_.symbols.names(Space::label)[label]);
    return all;
  }
  std::string name(Space space, uint32_t id) const {
    return printable(context_.symbols.names(space)[id]);
  }

  AnalysisContext context_;
  Conflicts conflicts_;
  std::vector<Alike> kinds_;
  tsl::robin_map<uint64_t, size_t, IntegerHash> numbers_;  // places in kinds_
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "units that did not run as if one after the other (cycles of conflicts)",
    .options = {},
    .needs_deciding = false,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<Serializability>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
