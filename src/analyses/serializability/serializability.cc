// Serializability: cycles of units in the observed trace, as Velodrome finds them,
// and units that ran serially but need not have.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/analysis.h"
#include "analyses/serializability/conflicts.h"
#include "analyses/serializability/windows.h"
#include "base/hash.h"
#include "base/text.h"

namespace foretrace {
namespace {

using serializability::Conflicts;
using serializability::Cycle;
using serializability::Edge;
using serializability::Intrusion;
using serializability::kNoLabel;
using serializability::Occurrence;
using serializability::Ring;
using serializability::Tangle;
using serializability::Use;
using serializability::Violation;
using serializability::Windows;

constexpr std::string_view kName = "serializability";

constexpr AnalysisOption kMaxPredictedOption = {
    "max-predicted", "N", "1M",
    "Look for units of other schedules only in traces of up to N events, and say so"};

class Serializability : public Analysis {
 public:
  explicit Serializability(AnalysisContext context)
      : context_(std::move(context)),
        max_predicted_(context_.settings.count(kMaxPredictedOption)),
        conflicts_([this](const Violation& v) { note(v); }),
        windows_(std::make_unique<Windows>()) {}

  void process(const EventBatch& batch) override {
    constexpr size_t kAhead = 12;  // as in hb
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      if (i + kAhead < batch.events.size()) conflicts_.prefetch(batch.events[i + kAhead]);
      if (event.op() != Op::skip) conflicts_.process(batch.first_index + i, event);
    }
    predict(batch);
  }

  // Only now is it known how often each cycle was seen.
  void finish() override {
    for (const Alike& alike : kinds_) context_.propose(candidate_of(alike));
    if (windows_ == nullptr) return;
    uint64_t groups = 0;
    for (const Intrusion& intrusion : windows_->take()) {
      context_.propose(candidate_of(intrusion));
      groups = std::max(groups, intrusion.group);
    }
    const uint64_t intrusions = groups;
    for (Tangle& tangle : windows_->take_tangles()) {
      tangle.group += intrusions;
      context_.propose(candidate_of(tangle));
      groups = std::max(groups, tangle.group);
    }
    for (Ring& ring : windows_->take_rings()) {
      ring.group += groups;
      context_.propose(candidate_of(ring));
    }
  }

  std::vector<std::string> notes() const override {
    if (windows_ == nullptr) {
      return {fmt::format(
          "serializability: the trace has more than {} events, so only what it shows itself was "
          "looked for (--max-predicted)",
          with_commas(max_predicted_))};
    }
    if (windows_->left_out() == 0) return {};
    return {fmt::format("serializability: {} of other schedules were not tried: too many like them",
                        counted(windows_->left_out(), "candidate"))};
  }

 private:
  // Predictions are worth nothing without a schedule, and for that the trace must
  // be short enough to be kept.
  void predict(const EventBatch& batch) {
    if (windows_ != nullptr && batch.first_index + batch.events.size() > max_predicted_) {
      windows_.reset();
    }
    if (windows_ == nullptr) return;
    const std::span<const Event> events = batch.events;
    for (size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      if (i + 16 < events.size()) windows_->prefetch_object(events[i + 16]);
      if (i + 8 < events.size()) windows_->prefetch_uses(events[i + 8]);
      if (event.op() != Op::skip) windows_->process(batch.first_index + i, event);
    }
  }

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
    candidate.message = fmt::format("{} is not atomic: {}", units_text(alike.blamed), story(cycle));
    candidate.reason = fmt::format("{} did not run as if in one piece: {}.{}",
                                   units_text(alike.blamed), story(cycle), times(alike.count));
    candidate.detail["blamed"] = names(alike.blamed);
    candidate.detail["cycle"] = cycle_detail(cycle);
    candidate.detail["count"] = alike.count;
    return candidate;
  }

  static Candidate prediction(uint64_t group) {
    Candidate candidate;
    candidate.analysis = kName;
    candidate.kind = "atomicity-violation";
    candidate.only_if_certified = true;
    candidate.group = group;
    return candidate;
  }

  Candidate candidate_of(const Intrusion& intrusion) const {
    Candidate candidate = prediction(intrusion.group);
    for (const UnitStack* unit = intrusion.units.get(); unit != nullptr; unit = unit->outer.get()) {
      candidate.labels.insert(candidate.labels.begin(), unit->label);
    }
    const Use& culprit = intrusion.culprit;
    candidate.events = {event_of(intrusion.first, "in the unit"),
                        event_of(culprit, "gets in between"),
                        event_of(intrusion.second, "in the unit")};
    candidate.order = {{intrusion.first.index, culprit.index},
                       {culprit.index, intrusion.second.index}};
    (space_of(culprit.op) == Space::lock ? candidate.lock : candidate.variable) = culprit.object;
    candidate.message =
        fmt::format("{} is not atomic: thread {} can get between events {} and {} of thread {}",
                    units_text(candidate.labels), name(Space::thread, culprit.event.thread),
                    intrusion.first.index, intrusion.second.index,
                    name(Space::thread, intrusion.first.event.thread));
    candidate.reason =
        "It ran as if alone, but another schedule of the same run has the event of the other "
        "thread between two that conflict with it.";
    candidate.detail["blamed"] = names(candidate.labels);
    return candidate;
  }

  Candidate candidate_of(const Tangle& tangle) const {
    Candidate candidate = prediction(tangle.group);
    candidate.labels = {tangle.label};
    if (tangle.in_one_unit) candidate.labels.push_back(tangle.other_label);
    const std::string one = "in " + name(Space::label, tangle.label);
    const std::string other =
        tangle.in_one_unit ? "in " + name(Space::label, tangle.other_label) : "of the other thread";
    candidate.events = {event_of(tangle.out, one), event_of(tangle.in, other),
                        event_of(tangle.back_out, other), event_of(tangle.back_in, one)};
    candidate.order = {{tangle.out.index, tangle.in.index},
                       {tangle.back_out.index, tangle.back_in.index}};
    candidate.message = fmt::format(
        "{} is not atomic: event {} can come before event {} of thread {}, and event {} {} before "
        "event {}",
        units_text(candidate.labels), tangle.out.index, tangle.in.index,
        name(Space::thread, tangle.in.event.thread), tangle.back_out.index,
        tangle.in_one_unit ? "of that unit" : "of that thread", tangle.back_in.index);
    candidate.reason = reason(tangle);
    candidate.detail["blamed"] = names(candidate.labels);
    return candidate;
  }

  Candidate candidate_of(const Ring& ring) const {
    Candidate candidate = prediction(ring.group);
    candidate.labels = ring.labels;
    const std::string unit = "in " + name(Space::label, ring.labels[0]);
    std::vector<std::string> edges;
    for (size_t i = 0; i < ring.ends.size(); i += 2) {
      const Use& from = ring.ends[i];
      const Use& to = ring.ends[i + 1];
      const bool last = i + 2 == ring.ends.size();
      candidate.events.push_back(event_of(from, i == 0 ? unit : "leads on"));
      candidate.events.push_back(event_of(to, last ? unit : "comes after it"));
      candidate.order.emplace_back(from.index, to.index);
      edges.push_back(fmt::format("event {} comes before event {} of thread {}", from.index,
                                  to.index, name(Space::thread, to.event.thread)));
    }
    candidate.message = fmt::format("{} is not atomic: in another schedule {}",
                                    name(Space::label, ring.labels[0]), fmt::join(edges, ", "));
    candidate.reason = fmt::format(
        "It ran as if alone, but in another schedule of the same run {} threads follow each other "
        "in a circle: {} comes before what they do, and after it.",
        ring.ends.size() / 2, name(Space::label, ring.labels[0]));
    candidate.detail["blamed"] = names({ring.labels[0]});
    return candidate;
  }

  static std::string reason(const Tangle& tangle) {
    if (tangle.in_one_unit) {
      return fmt::format(
          "They ran one after the other, but in another schedule of the same run event {} comes "
          "before event {}, and event {} before event {}: neither unit can have come first as a "
          "whole.",
          tangle.out.index, tangle.in.index, tangle.back_out.index, tangle.back_in.index);
    }
    return fmt::format(
        "It ran as if alone, but in another schedule of the same run event {} comes before event "
        "{}, and event {}, which the other thread does later, before event {}: the other thread "
        "gets between the two.",
        tangle.out.index, tangle.in.index, tangle.back_out.index, tangle.back_in.index);
  }

  CandidateEvent event_of(const Use& use, std::string role) const {
    if (use.op != use.event.op()) {
      role += fmt::format(", back from its wait for {}", name(Space::lock, use.object));
    }
    return {use.index, use.event, windows_->locksets().locks(use.held), true, std::move(role)};
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

  // "event 1 of thread 1 comes before event 4 of thread 2, which comes before …"
  std::string story(const Cycle& cycle) const {
    std::string text = described(cycle.front().from);
    for (size_t i = 0; i < cycle.size(); ++i) {
      text += " comes before " + described(cycle[i].to);
      if (i + 1 < cycle.size()) text += step(cycle[i].to, cycle[i + 1].from);
    }
    return text;
  }
  // How the story goes on within a thread.
  static std::string step(const Occurrence& in, const Occurrence& out) {
    if (in.index == out.index) return ", which";
    const bool same_unit = in.node == out.node && in.label != kNoLabel;
    return fmt::format("; event {}, {},", out.index,
                       same_unit ? "in the same unit" : "later in that thread");
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

  std::string units_text(const std::vector<uint32_t>& labels) const {
    std::vector<std::string> all;
    for (const uint32_t label : labels) all.push_back(name(Space::label, label));
    return fmt::format("{}", fmt::join(all, ", "));
  }
  static std::string times(uint64_t count) {
    return count == 1 ? "" : fmt::format(" Seen {} times.", with_commas(count));
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
  const uint64_t max_predicted_;
  Conflicts conflicts_;
  std::unique_ptr<Windows> windows_;  // null: the trace is too long
  std::vector<Alike> kinds_;
  tsl::robin_map<uint64_t, size_t, IntegerHash> numbers_;  // places in kinds_
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "units that did not, or need not, run as if one after the other (conflict cycles)",
    .options = {kMaxPredictedOption},
    .needs_deciding = false,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<Serializability>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
