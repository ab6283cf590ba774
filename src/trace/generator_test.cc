#include "trace/generator.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "trace/well_formed.h"

namespace foretrace {
namespace {

std::vector<Event> generated(TraceGenerator& generator) {
  std::vector<Event> events;
  EventBuffer buffer;
  for (;;) {
    generator.next(buffer);
    if (buffer.events.empty()) return events;
    EXPECT_EQ(buffer.first_index, events.size());
    events.insert(events.end(), buffer.events.begin(), buffer.events.end());
  }
}

// All of a trace as text, names and all.
std::string as_text(const GeneratorOptions& options) {
  TraceGenerator generator(options);
  std::string text;
  for (const Event& event : generated(generator)) {
    const Symbols& symbols = generator.symbols();
    text += fmt::format("{} {} {} {}\n", name_of(event.op()), symbols.thread(event.thread),
                        symbols.object(event), symbols.site_text(event.site));
  }
  return text;
}

// Happens-before from its definition, with a whole clock for everything.
class SimpleRaces {
 public:
  explicit SimpleRaces(size_t threads) : clocks_(threads, Clock(threads)) {
    for (size_t t = 0; t < threads; ++t) clocks_[t][t] = 1;
  }

  void see(const Event& event) {
    Clock& mine = clocks_[event.thread];
    switch (event.op()) {
      case Op::acq:
        join(mine, locks_[event.object]);
        break;
      case Op::rel:
        locks_[event.object] = mine;
        ++mine[event.thread];
        break;
      case Op::fork:
        join(clocks_[event.object], mine);
        ++mine[event.thread];
        break;
      case Op::join:
        join(mine, clocks_[event.object]);
        break;
      case Op::rd:
      case Op::wr: {
        Clock& writes = writes_[event.object];
        Clock& reads = reads_[event.object];
        writes.resize(mine.size());
        reads.resize(mine.size());
        const bool race = !before(writes, mine) || (event.op() == Op::wr && !before(reads, mine));
        if (race) racy_.insert(event.object);
        (event.op() == Op::wr ? writes : reads)[event.thread] = mine[event.thread];
        break;
      }
      default:
        break;
    }
  }

  const std::set<LocationId>& racy() const { return racy_; }

 private:
  using Clock = std::vector<uint64_t>;
  static void join(Clock& into, const Clock& from) {
    for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
  }
  static bool before(const Clock& a, const Clock& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] > b[i]) return false;
    }
    return true;
  }

  std::vector<Clock> clocks_;
  std::map<LockId, Clock> locks_;
  std::map<LocationId, Clock> writes_;
  std::map<LocationId, Clock> reads_;
  std::set<LocationId> racy_;
};

bool is_race_location(const Symbols& symbols, const Event& event) {
  return is_access(event.op()) && symbols.location(event.object).starts_with("race");
}

// The planted pairs are adjacent and their threads hold no locks.
void expect_planted(const std::vector<Event>& events, const Symbols& symbols, uint64_t races) {
  std::map<ThreadId, int> held;
  uint64_t seen = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.op() == Op::acq) ++held[event.thread];
    if (event.op() == Op::rel) --held[event.thread];
    if (!is_race_location(symbols, event)) continue;
    ASSERT_LT(i + 1, events.size());
    const Event& next = events[i + 1];
    EXPECT_EQ(symbols.location(event.object), fmt::format("race{}", seen));
    EXPECT_TRUE(is_access(next.op()));
    EXPECT_EQ(next.object, event.object);
    EXPECT_NE(next.thread, event.thread);
    EXPECT_EQ(next.op(), Op::wr);
    EXPECT_EQ(held[event.thread], 0);
    EXPECT_EQ(held[next.thread], 0);
    ++seen;
    ++i;
  }
  EXPECT_EQ(seen, races);
}

GeneratorOptions random_options(Random& random) {
  constexpr double kShares[] = {0, 0.1, 0.5, 0.9, 1};
  GeneratorOptions options;
  options.seed = random.next();
  options.threads = 1 + random.below(random.below(8) == 0 ? 200 : 12);
  options.locks = random.below(12);
  options.locations = 2 + random.below(60);
  options.nesting = random.below(6);
  options.guarded = kShares[random.below(5)];
  options.reads = kShares[random.below(5)];
  options.shape = static_cast<ForkShape>(random.below(4));
  options.races = options.threads > 1 ? random.below(8) : 0;
  options.units = random.below(4);
  options.sites = random.below(2) * 20;
  const uint64_t least =
      ThreadSchedule::changes(options.shape, options.threads) + 2 * options.races;
  options.events = least + (random.below(4) == 0 ? random.below(10) : random.below(3000));
  return options;
}

TEST(TraceGenerator, IsWellFormedAndHasJustThePlantedRaces) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    const GeneratorOptions options = random_options(random);
    SCOPED_TRACE(fmt::format("round {}, seed {}", round, options.seed));
    ASSERT_TRUE(TraceGenerator::check(options));
    TraceGenerator generator(options);
    EventBuffer all;
    all.events = generated(generator);
    EXPECT_EQ(all.events.size(), options.events);
    expect_planted(all.events, generator.symbols(), options.races);

    SimpleRaces detector(options.threads);
    for (const Event& event : all.events) detector.see(event);
    EXPECT_EQ(detector.racy().size(), options.races);
    for (const LocationId location : detector.racy()) {
      EXPECT_TRUE(generator.symbols().location(location).starts_with("race"));
    }

    WellFormed checker(generator.symbols(), "generated", {});
    const Result<void> good = checker.check(all);
    ASSERT_TRUE(good) << good.error().message;
    EXPECT_EQ(checker.reentrant_count(), 0U);
    EXPECT_EQ(checker.dropped_count(), 0U);
  }
}

TEST(TraceGenerator, EndsWithNothingHeld) {
  GeneratorOptions options;
  options.events = 5000;
  options.nesting = 4;
  options.units = 3;
  for (const ForkShape shape :
       {ForkShape::flat, ForkShape::tree, ForkShape::waves, ForkShape::none}) {
    options.shape = shape;
    TraceGenerator generator(options);
    int held = 0;
    int units = 0;
    int running = 0;
    for (const Event& event : generated(generator)) {
      held += (event.op() == Op::acq ? 1 : 0) - (event.op() == Op::rel ? 1 : 0);
      units += (event.op() == Op::beg ? 1 : 0) - (event.op() == Op::end ? 1 : 0);
      running += (event.op() == Op::fork ? 1 : 0) - (event.op() == Op::join ? 1 : 0);
    }
    EXPECT_EQ(held, 0);
    EXPECT_EQ(units, 0);
    EXPECT_EQ(running, 0);
  }
}

TEST(TraceGenerator, IsDeterminedByItsOptions) {
  GeneratorOptions options;
  options.events = 100'000;
  options.races = 3;
  options.units = 4;
  options.sites = 50;
  const std::string once = as_text(options);
  EXPECT_EQ(as_text(options), once);
  options.seed = 2;
  EXPECT_NE(as_text(options), once);
}

TEST(TraceGenerator, KeepsTheShares) {
  GeneratorOptions options;
  options.events = 1'000'000;
  options.threads = 16;
  options.locks = 50;
  options.locations = 10'000;
  for (const double share : {0.2, 0.5, 0.9}) {
    options.guarded = share;
    options.reads = share;
    TraceGenerator generator(options);
    std::vector<int> held(options.threads);
    double accesses = 0;
    double guarded = 0;
    double reads = 0;
    for (const Event& event : generated(generator)) {
      held[event.thread] += (event.op() == Op::acq ? 1 : 0) - (event.op() == Op::rel ? 1 : 0);
      if (!is_access(event.op())) continue;
      ++accesses;
      reads += event.op() == Op::rd ? 1 : 0;
      guarded += held[event.thread] > 0 ? 1 : 0;
    }
    EXPECT_NEAR(guarded / accesses, share, 0.03);
    EXPECT_NEAR(reads / accesses, share, 0.03);
  }
}

TEST(TraceGenerator, NestsAsDeepAsAskedAndInOneOrder) {
  GeneratorOptions options;
  options.events = 200'000;
  options.nesting = 3;
  TraceGenerator generator(options);
  std::vector<std::vector<int64_t>> held(options.threads);
  size_t deepest = 0;
  for (const Event& event : generated(generator)) {
    std::vector<int64_t>& mine = held[event.thread];
    if (event.op() == Op::acq) {
      const int64_t number = std::stoll(std::string(generator.symbols().object(event).substr(1)));
      EXPECT_TRUE(mine.empty() || mine.back() < number);
      mine.push_back(number);
      deepest = std::max(deepest, mine.size());
    } else if (event.op() == Op::rel) {
      mine.pop_back();
    }
  }
  EXPECT_EQ(deepest, 3U);
}

uint64_t resident_pages() {
  uint64_t size = 0;
  uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

TEST(TraceGenerator, NeedsNoMoreMemoryForALongerTrace) {
  GeneratorOptions options;
  options.events = 20'000'000;
  TraceGenerator generator(options);
  EventBuffer buffer;
  uint64_t pages = 0;
  do {
    generator.next(buffer);
    if (pages == 0 && buffer.first_index > 1'000'000) pages = resident_pages();
  } while (!buffer.events.empty());
  EXPECT_LT(resident_pages(), pages + 256);  // a megabyte
}

std::string complaint(const GeneratorOptions& options) {
  const Result<void> good = TraceGenerator::check(options);
  return good ? "" : good.error().message;
}

TEST(TraceGenerator, RefusesWhatCannotBe) {
  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(complaint({.threads = 0}), "a trace needs at least one thread");
  EXPECT_EQ(complaint({.events = 1'000'000'000, .threads = 20'000'000}),
            "20,000,000 threads are too many: a trace has at most 16,777,215");
  EXPECT_EQ(complaint({.threads = 1, .races = 1}),
            "a race needs two threads, and this trace would have one");
  EXPECT_EQ(complaint({.events = 19, .threads = 3, .races = 8}),
            "19 events are too few: forking and joining 3 threads and planting 8 races takes 20");
  EXPECT_EQ(complaint({.locations = 1}),
            "a trace needs at least 2 locations, one of which is only read");
  EXPECT_EQ(complaint({.guarded = 1.5}), "1.5 is not a share: shares are 0 to 1");
  EXPECT_NE(complaint({.locations = 2'000'000'000}), "");
}

TEST(ThreadSchedule, WavesFollowEachOther) {
  ThreadSchedule schedule(ForkShape::waves, 17, 1600);
  std::vector<std::string> changes;
  uint64_t last = 0;
  uint32_t most = 0;
  while (const std::optional<uint64_t> time = schedule.next_time()) {
    EXPECT_GE(*time, last);
    last = *time;
    const ThreadSchedule::Change change = schedule.advance();
    EXPECT_EQ(change.parent, 0U);
    changes.push_back(fmt::format("{}{}", change.fork ? "+" : "-", change.child));
    most = std::max(most, schedule.alive());
  }
  EXPECT_EQ(changes.size(), 32U);
  EXPECT_EQ(most, 5U);
  EXPECT_EQ(last, 1600U);
  EXPECT_EQ(fmt::format("{}", fmt::join(changes.begin(), changes.begin() + 9, " ")),
            "+1 +2 +3 +4 -4 -3 -2 -1 +5");
}

}  // namespace
}  // namespace foretrace
