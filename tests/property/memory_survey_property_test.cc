// What a survey of memory leaves out of a trace changes nothing: analyses that say
// so (AnalysisInfo::ignores_ordered_accesses) find the same without it.
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/certifier.h"
#include "property/random_trace.h"
#include "property/run_analysis.h"
#include "recording/memory_survey.h"
#include "trace/memory_reader.h"

namespace foretrace::testing {
namespace {

using recording::Kind;
using recording::Record;

constexpr uint64_t kFirstAddress = 0x10000;
constexpr uint64_t kBytes = 8;

uint64_t address_of(LocationId location) { return kFirstAddress + kBytes * location; }

// The record of what the hard order knows of.
std::optional<Record> record_of(const Event& event) {
  const auto access = [&](Kind kind) {
    return Record::make(kind, address_of(event.object), kBytes, 0, 0);
  };
  switch (event.op()) {
    case Op::rd:
      return access(Kind::read);
    case Op::wr:
      return access(Kind::write);
    case Op::vrd:
      return access(Kind::atomic_read);
    case Op::vwr:
      return access(Kind::atomic_write);
    case Op::vrmw:
      return access(Kind::atomic_update);
    case Op::ard:
      return access(Kind::relaxed_read);
    case Op::awr:
      return access(Kind::relaxed_write);
    case Op::armw:
      return access(Kind::relaxed_update);
    case Op::fork:
      return Record::make(Kind::thread_create, event.object, 0, 0, 0);
    case Op::join:
      return Record::make(Kind::thread_join, event.object, 0, 0, 0);
    default:
      return std::nullopt;
  }
}

// The trace without the accesses that the survey leaves out; indexes stay. An access that
// stands for the end of a wait stays: in recordings that is always an acquire.
Trace reduced(const Trace& trace) {
  MemorySurvey survey(false);
  for (const Event& event : trace.events) {
    if (const std::optional<Record> record = record_of(event)) survey.add(event.thread, *record);
  }
  std::set<uint64_t> kept;
  for (const MemoryPiece& piece : survey.take_pieces()) {
    RC_ASSERT(piece.bytes == kBytes);
    kept.insert(piece.address);
  }
  Trace less = trace;
  for (Event& event : less.events) {
    if (space_of(event.op()) == Space::location && event.resumes == 0 &&
        !kept.contains(address_of(event.object))) {
      event = make_event(event.thread, Op::skip, 0, kNoSite);
    }
  }
  Result<std::unique_ptr<TraceReader>> reader = read_from_memory("reduced", less);
  RC_ASSERT(reader.has_value());
  StreamOptions options;
  options.well_formed.unnested = true;
  Result<Trace> checked = load_trace(std::move(*reader), options);
  RC_ASSERT(checked.has_value());
  return *checked;
}

// The events of what the analysis finds, of those that must be decided the
// certified ones.
std::set<std::vector<uint64_t>> found(const AnalysisInfo& info, const Trace& trace) {
  std::vector<Candidate> candidates = run_analysis(info.name, trace);
  if (info.needs_deciding) decide(trace, candidates, {100'000'000, 1, nullptr});
  std::set<std::vector<uint64_t>> events;
  for (const Candidate& candidate : candidates) {
    if (info.needs_deciding && candidate.strength == Strength::predicted) continue;
    std::vector<uint64_t> indexes;
    for (const auto& event : candidate.events) indexes.push_back(event.index);
    events.insert(std::move(indexes));
  }
  return events;
}

// Without barriers: which arrivals are one generation depends on when threads have
// their next event (docs/architecture.md), and random barriers have no fixed number
// of threads.
rc::Gen<RandomTrace> any_trace() {
  RandomTraceOptions many;
  many.barriers = many.objects = false;
  many.length = 1.5;
  RandomTraceOptions ordered = many;  // by volatiles and forks only
  ordered.locks_for_reading = ordered.waits = false;
  ordered.locks = 1;
  ordered.locations = 6;
  return rc::gen::oneOf(random_trace(many), random_trace(ordered));
}

RC_GTEST_PROP(MemorySurvey, WhatIsLeftOutChangesNoFinding, ()) {
  const RandomTrace random = *any_trace();
  const Trace less = reduced(random.trace);
  const auto skips = [](const Trace& trace) {
    return std::count_if(trace.events.begin(), trace.events.end(),
                         [](const Event& event) { return event.op() == Op::skip; });
  };
  RC_CLASSIFY(skips(less) > skips(random.trace), "smaller");
  for (const AnalysisInfo& info : analyses()) {
    if (!info.ignores_ordered_accesses) continue;
    RC_ASSERT(found(info, less) == found(info, random.trace));
  }
}

}  // namespace
}  // namespace foretrace::testing
