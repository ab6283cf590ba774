// FastTrack: as long as a location has no race, its writes are totally ordered
// and its last write stands for all of them, and so does its last read unless
// reads are concurrent.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "analyses/hb/hb.h"

namespace foretrace {
namespace {

// What is known of a location. One cache line.
struct alignas(64) Location {
  Access write;
  Access read;                   // the last read, while reads are ordered
  std::vector<Access>* readers;  // else the last read of each thread, by thread
  bool racy;                     // reported; nothing more is kept
};
static_assert(sizeof(Location) == 64);

class FirstPairs : public Analysis {
 public:
  explicit FirstPairs(AnalysisContext context) : state_(std::move(context)) {}
  ~FirstPairs() override {
    for (const Location& location : locations_) delete location.readers;
  }

  void process(const EventBatch& batch) override {
    constexpr size_t kAhead = 12;  // far enough to hide a miss, near enough to stay
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      if (i + kAhead < batch.events.size()) prefetch(batch.events[i + kAhead]);
      const uint64_t index = batch.first_index + i;
      if (event.op() == Op::rd) {
        read(index, event);
      } else if (event.op() == Op::wr) {
        write(index, event);
      } else if (event.op() != Op::skip) {
        state_.synchronise(index, event);
      }
    }
  }

 private:
  void prefetch(const Event& event) const {
    if (is_access(event.op()) && event.object < locations_.size()) {
      __builtin_prefetch(&locations_[event.object], 1);
    }
  }

  Location& location(LocationId id) {
    if (id >= locations_.size()) {
      locations_.resize(std::max<size_t>(id + 1, locations_.size() * 2));
    }
    return locations_[id];
  }

  void read(uint64_t index, const Event& event) {
    const Access access = state_.begin(index, event);
    Location& x = location(event.object);
    if (!x.racy) {
      if (!state_.ordered(x.write, event.thread)) {
        report(x, {Op::wr, x.write}, event, access);
      } else if (x.readers != nullptr) {
        remember_reader(*x.readers, access);
      } else if (x.read.epoch.thread() == event.thread || state_.ordered(x.read, event.thread)) {
        x.read = access;  // this read comes after every other one
      } else {
        x.readers = new std::vector<Access>{x.read};
        remember_reader(*x.readers, access);
      }
    }
    state_.end(index, event);
  }

  void write(uint64_t index, const Event& event) {
    const Access access = state_.begin(index, event);
    Location& x = location(event.object);
    if (!x.racy) {
      if (const std::optional<RaceSide> first = racing_with_write(x, event.thread)) {
        report(x, *first, event, access);
      } else {
        x.write = access;
        x.read = Access();  // all reads happen before this write, which stands for them
        if (x.readers != nullptr) forget_readers(x);
      }
    }
    state_.end(index, event);
  }

  // Of the accesses that race with a write by `thread`, the latest.
  std::optional<RaceSide> racing_with_write(const Location& x, ThreadId thread) {
    std::optional<RaceSide> latest;
    const auto consider = [&](Op op, const Access& past) {
      if (state_.ordered(past, thread)) return;
      if (!latest || past.index > latest->access.index) latest = RaceSide{op, past};
    };
    consider(Op::wr, x.write);
    if (x.readers == nullptr) {
      consider(Op::rd, x.read);
    } else {
      for (const Access& reader : *x.readers) consider(Op::rd, reader);
    }
    return latest;
  }

  static void remember_reader(std::vector<Access>& readers, const Access& access) {
    const auto place = std::lower_bound(
        readers.begin(), readers.end(), access.epoch.thread(),
        [](const Access& reader, ThreadId thread) { return reader.epoch.thread() < thread; });
    if (place != readers.end() && place->epoch.thread() == access.epoch.thread()) {
      *place = access;
    } else {
      readers.insert(place, access);
    }
  }

  static void forget_readers(Location& x) {
    delete x.readers;
    x.readers = nullptr;
  }

  void report(Location& x, const RaceSide& first, const Event& event, const Access& second) {
    state_.propose(first, event, second);
    x.racy = true;
    forget_readers(x);
  }

  HbState state_;
  std::vector<Location> locations_;
};

}  // namespace

std::unique_ptr<Analysis> make_hb_first_pairs(AnalysisContext context) {
  return std::make_unique<FirstPairs>(std::move(context));
}

}  // namespace foretrace
