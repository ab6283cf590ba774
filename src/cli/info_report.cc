#include "cli/info_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

// The numbers below `count` with the greatest weights, greatest first, without
// those that weigh nothing; equal ones in their own order.
template <typename Weight>
std::vector<uint32_t> heaviest(size_t count, size_t top, const Weight& weight) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < count; ++i) {
    if (weight(i) > 0) numbers.push_back(i);
  }
  const size_t kept = std::min(top, numbers.size());
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(numbers.begin(), end, numbers.end(), [&](uint32_t a, uint32_t b) {
    return weight(a) != weight(b) ? weight(a) > weight(b) : a < b;
  });
  numbers.erase(end, numbers.end());
  return numbers;
}

// Names are bytes that may not be UTF-8, which JSON has to be.
std::string json_name(std::string_view name) { return printable(name, SIZE_MAX); }

Json operations_json(const TraceStatistics& statistics) {
  Json operations = Json::object();
  for (size_t op = 1; op < kOpCount; ++op) {
    const uint64_t count = statistics.count(static_cast<Op>(op));
    if (count > 0) operations[std::string(kOpTraits[op].name)] = count;
  }
  return operations;
}

Json depth_json(const Depth& deepest, const Symbols& symbols) {
  if (deepest.depth == 0) return {{"depth", 0}};
  return {{"depth", deepest.depth},
          {"thread", json_name(symbols.thread(deepest.thread))},
          {"index", deepest.index}};
}

Json change_json(const std::optional<ThreadStatistics::Change>& change, const Symbols& symbols) {
  if (!change) return nullptr;
  return {{"by", json_name(symbols.thread(change->by))}, {"index", change->index}};
}

Json threads_json(const InfoReport& report) {
  Json list = Json::array();
  for (const ThreadId id : busiest_threads(report.statistics, report.top)) {
    const ThreadStatistics& thread = report.statistics.threads()[id];
    list.push_back({{"name", json_name(report.symbols.thread(id))},
                    {"events", thread.events},
                    {"forked", change_json(thread.forked, report.symbols)},
                    {"joined", change_json(thread.joined, report.symbols)}});
  }
  return list;
}

Json locks_json(const InfoReport& report) {
  Json list = Json::array();
  for (const LockId id : busiest_locks(report.statistics, report.top)) {
    const LockStatistics& lock = report.statistics.locks()[id];
    list.push_back({{"name", json_name(report.symbols.lock(id))},
                    {"acquires", lock.acquires},
                    {"threads", report.statistics.lock_threads().count(id)},
                    {"contended", lock.contended},
                    {"longest_hold", lock.longest_hold}});
  }
  return list;
}

Json locations_json(const InfoReport& report) {
  Json list = Json::array();
  for (const LocationId id : hottest_locations(report.statistics, report.top)) {
    const LocationStatistics& location = report.statistics.locations()[id];
    list.push_back({{"name", json_name(report.symbols.location(id))},
                    {"reads", location.reads},
                    {"writes", location.writes},
                    {"threads", report.statistics.location_threads().count(id)}});
  }
  return list;
}

}  // namespace

std::vector<ThreadId> busiest_threads(const TraceStatistics& statistics, size_t top) {
  const std::vector<ThreadStatistics>& threads = statistics.threads();
  return heaviest(threads.size(), top, [&](ThreadId id) { return threads[id].events; });
}

std::vector<LockId> busiest_locks(const TraceStatistics& statistics, size_t top) {
  const std::vector<LockStatistics>& locks = statistics.locks();
  return heaviest(locks.size(), top, [&](LockId id) { return locks[id].acquires; });
}

std::vector<LocationId> hottest_locations(const TraceStatistics& statistics, size_t top) {
  const std::vector<LocationStatistics>& locations = statistics.locations();
  return heaviest(locations.size(), top,
                  [&](LocationId id) { return locations[id].reads + locations[id].writes; });
}

std::string info_json(const InfoReport& report) {
  const Symbols& symbols = report.symbols;
  const TraceStatistics& statistics = report.statistics;
  const Json document = {{"schema", "foretrace/info/1"},
                         {"trace",
                          {{"source", report.source},
                           {"events", statistics.event_count()},
                           {"threads", symbols.names(Space::thread).size()},
                           {"locations", symbols.names(Space::location).size()},
                           {"locks", symbols.names(Space::lock).size()},
                           {"units", statistics.count(Op::beg)},
                           {"sites", symbols.sites.size() - 1}}},
                         {"operations", operations_json(statistics)},
                         {"filtered", statistics.count(Op::skip)},
                         {"nesting",
                          {{"locks", depth_json(statistics.deepest_locks(), symbols)},
                           {"units", depth_json(statistics.deepest_units(), symbols)}}},
                         {"threads", threads_json(report)},
                         {"locks", locks_json(report)},
                         {"locations", locations_json(report)},
                         {"thread_counts_complete", statistics.lock_threads().complete() &&
                                                        statistics.location_threads().complete()}};
  return document.dump(2) + '\n';
}

}  // namespace foretrace
