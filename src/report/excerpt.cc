#include "report/excerpt.h"

#include <algorithm>
#include <deque>
#include <tuple>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "base/text.h"
#include "findings/schedule.h"

namespace foretrace {
namespace {

constexpr uint64_t kWholeTrace = 24;  // traces up to this long are shown whole
constexpr size_t kBefore = 4;         // synchronisation events shown before an event
constexpr size_t kAfter = 4;          // and after it, up to the finding's last event

struct Row {
  uint64_t index;
  ThreadId thread;
  std::string text;
  SiteId site;
  bool marked;
};

class Collector {
 public:
  Collector(const Symbols& symbols, const std::vector<Finding>& findings, bool whole)
      : symbols_(symbols), whole_(whole), rows_(std::min(findings.size(), kMaxExcerpts)) {
    for (size_t f = 0; f < rows_.size(); ++f) {
      const std::vector<FindingEvent>& events = findings[f].events;
      if (events.empty()) continue;
      uint64_t last = 0;
      for (const FindingEvent& event : events) last = std::max(last, event.index);
      for (const FindingEvent& event : events) {
        wanted_[event.index].push_back({f, last});
        involved_.emplace(event.thread, Thread{});
      }
    }
  }

  void process(const EventBatch& batch) {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      if (event.op() == Op::skip) continue;
      if (whole_) {
        for (std::vector<Row>& rows : rows_) rows.push_back(row(batch.first_index + i, event));
      }
      if (Thread* const thread = find(event.thread)) {
        see(batch.first_index + i, event, *thread);
      }
    }
  }

  std::vector<Excerpt> take() {
    std::vector<Excerpt> excerpts;
    for (std::vector<Row>& rows : rows_) excerpts.push_back(excerpt_of(rows));
    return excerpts;
  }

 private:
  struct Want {
    size_t finding;
    uint64_t last;  // the index of the finding's last event
  };
  struct Follow {
    Want want;
    size_t left;  // how many more rows it may take
  };
  struct Thread {
    std::deque<Row> before;       // its latest synchronisation events
    std::vector<Follow> follows;  // findings that want its next ones
  };

  // The state of a thread that some finding names, or null. Names are compared
  // once per thread.
  Thread* find(ThreadId id) {
    while (by_id_.size() <= id) {
      const auto found =
          involved_.find(std::string(symbols_.thread(static_cast<ThreadId>(by_id_.size()))));
      by_id_.push_back(found == involved_.end() ? nullptr : &found.value());
    }
    return by_id_[id];
  }

  Row row(uint64_t index, const Event& event) const {
    return {index, event.thread, event_text(symbols_, event), event.site, false};
  }

  void see(uint64_t index, const Event& event, Thread& thread) {
    if (const auto wanted = wanted_.find(index); wanted != wanted_.end()) {
      for (const Want& want : wanted->second) {
        std::vector<Row>& rows = rows_[want.finding];
        rows.insert(rows.end(), thread.before.begin(), thread.before.end());
        rows.push_back(row(index, event));
        rows.back().marked = true;
        thread.follows.push_back({want, kAfter});
      }
    }
    if (is_access(event.op())) return;
    const Row seen = row(index, event);
    for (Follow& follow : thread.follows) {
      if (follow.left == 0 || index >= follow.want.last) continue;
      rows_[follow.want.finding].push_back(seen);
      --follow.left;
    }
    std::erase_if(thread.follows, [&](const Follow& follow) {
      return follow.left == 0 || index >= follow.want.last;
    });
    thread.before.push_back(seen);
    if (thread.before.size() > kBefore) thread.before.pop_front();
  }

  Excerpt excerpt_of(std::vector<Row>& rows) const {
    // Of two rows for one event, the marked one stays.
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.index != b.index ? a.index < b.index : a.marked > b.marked;
    });
    const auto end = std::unique(rows.begin(), rows.end(),
                                 [](const Row& a, const Row& b) { return a.index == b.index; });
    rows.erase(end, rows.end());
    std::vector<ThreadId> threads;
    for (const Row& row : rows) threads.push_back(row.thread);
    // Thread 2 before thread 10, whatever the order of their first events.
    const auto by_name = [&](ThreadId a, ThreadId b) {
      const std::string_view x = symbols_.thread(a);
      const std::string_view y = symbols_.thread(b);
      return std::tuple(x.size(), x, a) < std::tuple(y.size(), y, b);
    };
    std::sort(threads.begin(), threads.end(), by_name);
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    Excerpt excerpt;
    for (const ThreadId thread : threads) excerpt.threads.emplace_back(symbols_.thread(thread));
    for (const Row& row : rows) {
      const auto column = std::find(threads.begin(), threads.end(), row.thread);
      excerpt.rows.push_back({row.index, row.index, static_cast<size_t>(column - threads.begin()),
                              row.text, symbols_.site_text(row.site), row.marked});
    }
    return excerpt;
  }

  const Symbols& symbols_;
  const bool whole_;
  std::vector<std::vector<Row>> rows_;  // by finding
  tsl::robin_map<uint64_t, std::vector<Want>, IntegerHash> wanted_;
  tsl::robin_map<std::string, Thread> involved_;  // complete before by_id_ points into it
  std::vector<Thread*> by_id_;
};

}  // namespace

std::string event_text(const Symbols& symbols, const Event& event) {
  const std::string_view op = event.op() == Op::rd   ? "r"
                              : event.op() == Op::wr ? "w"
                                                     : name_of(event.op());
  return fmt::format("{}({})", op, printable(symbols.object(event), 40));
}

Excerpt witness_excerpt(const Excerpt& observed, const Finding& finding) {
  const std::optional<ShortSchedule> schedule = short_schedule(finding);
  if (!finding.witness && !schedule) return {};
  tsl::robin_map<uint64_t, const ExcerptRow*, IntegerHash> shown;
  for (const ExcerptRow& row : observed.rows) shown.emplace(row.index, &row);
  Excerpt excerpt;
  excerpt.threads = observed.threads;
  uint64_t position = 0;
  const auto take = [&](uint64_t index) {
    if (const auto found = shown.find(index); found != shown.end()) {
      ExcerptRow row = *found->second;
      row.position = position;
      excerpt.rows.push_back(std::move(row));
      shown.erase(index);
    }
    ++position;
  };
  if (finding.witness) {
    for (const uint64_t index : *finding.witness) take(index);
  } else {
    for (const ExcerptRow& row : observed.rows) {
      if (!schedule->begins_with(observed.threads[row.column], row.index)) continue;
      position = row.index;
      take(row.index);
    }
    for (const auto& [thread, last] : schedule->first) position = std::max(position, last + 1);
    for (const uint64_t index : schedule->then) take(index);
  }
  for (const FindingEvent& event : finding.events) take(event.index);
  return excerpt;
}

Result<std::vector<Excerpt>> collect_excerpts(TraceStream& stream, uint64_t event_count,
                                              const std::vector<Finding>& findings) {
  Collector collector(stream.symbols(), findings, event_count <= kWholeTrace);
  for (;;) {
    const Result<EventBatch> batch = stream.next();
    if (!batch) return tl::unexpected(batch.error());
    if (batch->events.empty()) return collector.take();
    collector.process(*batch);
  }
}

}  // namespace foretrace
