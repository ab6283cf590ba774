#include "cli/analysis_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>

#include "base/interrupt.h"
#include "base/progress.h"
#include "base/team.h"
#include "base/text.h"

namespace foretrace {
namespace {

using Clock = std::chrono::steady_clock;

// A trace up to this long is kept so that candidates can be decided; a longer
// one only if an analysis cannot do without, because it takes memory (64 MB).
constexpr size_t kKeptEvents = size_t{4} << 20;
// From here on there is space for as many events as the trace seems to have.
constexpr size_t kManyEvents = size_t{1} << 16;

// What the calling thread has worked: analyses run side by side, and may have to wait for
// a processor.
double thread_seconds() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

AnalysisRuns::AnalysisRuns(std::unique_ptr<TraceStream> stream,
                           const std::vector<const AnalysisInfo*>& chosen,
                           const AnalysisSettings& settings, OpenAgain open_again)
    : stream_(std::move(stream)), open_again_(std::move(open_again)) {
  for (const AnalysisInfo* info : chosen) {
    Running& one = running_.emplace_back();
    one.run.name = info->name;
    one.only_races = info->only_races;
    one.analysis = info->create({stream_->symbols(), settings, [&one](Candidate candidate) {
                                   one.candidates.push_back(std::move(candidate));
                                 }});
    keep_all_ |= info->needs_deciding;
  }
}

Result<void> AnalysisRuns::go_through() {
  Progress progress("analyzing " + stream_->source_name());
  Team team(running_.size());
  for (bool more = true; more;) {
    const Result<EventBatch> batch = stream_->next();
    if (!batch) return tl::unexpected(batch.error());
    if (take_interrupt()) {
      partial_ = true;
      fmt::print(stderr,
                 "foretrace: interrupted: ending with what was read (Ctrl-C ends it sooner)\n");
    }
    more = !batch->events.empty() && !partial_;
    if (more && (keep_all_ || open_again_ == nullptr)) keep(*batch);
    team.run([&](size_t member) {
      Running& one = running_[member];
      const double start = thread_seconds();
      if (more) {
        if (batch->may_race || !one.only_races) one.analysis->process(*batch);
      } else {
        one.analysis->finish();
      }
      one.run.seconds += thread_seconds() - start;
    });
    progress.update(stream_->progress(), stream_->event_count());
  }
  partial_ |= take_interrupt();
  for (Running& one : running_) {
    one.run.passes = one.analysis->passes();
    one.run.figures = one.analysis->figures();
    std::move(one.candidates.begin(), one.candidates.end(), std::back_inserter(candidates_));
    one.candidates = {};
  }
  return {};
}

void AnalysisRuns::keep(const EventBatch& batch) {
  if (!kept_) return;
  if (!keep_all_ && trace_.events.size() + batch.events.size() > kKeptEvents) {
    kept_ = false;
    trace_ = Trace();
    return;
  }
  make_room(batch.events.size());
  trace_.append(batch);
}

// A list that grows by doubling takes three times its size while it does.
void AnalysisRuns::make_room(size_t more) {
  const size_t size = trace_.events.size() + more;
  const double seen = stream_->progress().value_or(0);
  if (size <= trace_.events.capacity() || size < kManyEvents || seen < 0.01) return;
  const double whole = static_cast<double>(size) / std::min(seen, 1.0);
  const size_t most = keep_all_ ? SIZE_MAX : std::max(size, kKeptEvents);
  trace_.events.reserve(
      std::min(std::max(size + size / 4, static_cast<size_t>(1.05 * whole)), most));
}

Result<void> AnalysisRuns::read_again() {
  kept_ = stream_->event_count() <= kKeptEvents;
  if (!kept_) return {};
  const Result<std::unique_ptr<TraceStream>> stream = open_again_();
  if (!stream) return tl::unexpected(stream.error());
  trace_.events.reserve(stream_->event_count());
  while (trace_.events.size() < stream_->event_count()) {
    const Result<EventBatch> batch = (*stream)->next();
    if (!batch) return tl::unexpected(batch.error());
    if (batch->events.empty()) {
      return fail("{}: it has become shorter while it was analysed", stream_->source_name());
    }
    trace_.append(*batch);
  }
  return {};
}

Result<void> AnalysisRuns::decide_candidates(uint64_t budget) {
  if (candidates_.empty()) return {};
  if (!keep_all_ && open_again_ != nullptr) {
    if (Result<void> done = read_again(); !done) return done;
  }
  if (!kept_) {
    not_decided_ = true;
    std::erase_if(candidates_, [](const Candidate& c) { return c.only_if_certified; });
    return {};
  }
  trace_.symbols = stream_->shared_symbols();
  Progress progress("looking for schedules", "candidates");
  const Clock::time_point start = Clock::now();
  const std::map<std::string, Decisions> decisions =
      decide(trace_, candidates_,
             {.budget = budget, .progress = [&](size_t done, size_t all) {
                progress.update(static_cast<double>(done) / static_cast<double>(all), done);
                return !interrupted();
              }});
  deciding_seconds_ = seconds_since(start);
  partial_ |= interrupted();
  for (Running& one : running_) {
    if (const auto found = decisions.find(one.run.name); found != decisions.end()) {
      one.run.decisions = found->second;
    }
  }
  return {};
}

std::vector<std::string> AnalysisRuns::notes() const {
  std::vector<std::string> notes = stream_->notes();
  for (const Running& one : running_) {
    const std::vector<std::string> own = one.analysis->notes();
    notes.insert(notes.end(), own.begin(), own.end());
  }
  if (not_decided_) {
    notes.push_back(
        fmt::format("the trace has more than {} events, so no schedules were looked for "
                    "(--analysis race does, and keeps the trace in memory)",
                    with_commas(kKeptEvents)));
  }
  return notes;
}

namespace {

// What is known of the order of events is not all of it.
void weaken(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    finding.strength = Strength::predicted;
    finding.witness.reset();
    finding.detail["certify"] = "order-missing";
  }
}

}  // namespace

Report AnalysisRuns::take_report() {
  Report report;
  report.source = stream_->source_name();
  report.events = stream_->event_count();
  report.threads = symbols().names(Space::thread).size();
  report.locations = symbols().names(Space::location).size();
  report.locks = symbols().names(Space::lock).size();
  for (const Running& one : running_) report.analyses.push_back(one.run);
  report.findings = make_findings(std::move(candidates_), symbols());
  if (const auto facts = stream_->facts(); facts != nullptr && !facts->is_order_known()) {
    weaken(report.findings);
  }
  report.deciding_seconds = deciding_seconds_;
  report.partial = partial_;
  return report;
}

}  // namespace foretrace
