#include "trace/generator.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace foretrace {
namespace {

// Chances of 2^32: inside a critical section, to leave it and to enter another
// one; outside, to begin a unit, and in a unit to end it.
constexpr uint64_t kAlways = uint64_t{1} << 32;
constexpr uint64_t kLeave = kAlways / 8;
constexpr uint64_t kNest = kAlways / 16;
constexpr uint64_t kBegin = kAlways / 16;
constexpr uint64_t kEnd = kAlways / 4;

constexpr uint32_t kLongestRun = 16;
constexpr uint64_t kMostNames = 1'000'000'000;

uint64_t chance(double share) {
  return static_cast<uint64_t>(share * static_cast<double>(kAlways));
}

// How many accesses are made in a critical section at this depth, on average.
double accesses_inside(uint64_t depth, uint64_t nesting) {
  const double leave = static_cast<double>(kLeave) / static_cast<double>(kAlways);
  const double nest = static_cast<double>(kNest) / static_cast<double>(kAlways);
  if (depth >= std::min<uint64_t>(nesting, 16)) return (1 - leave) / leave;
  return (1 - leave - nest + nest * accesses_inside(depth + 1, nesting)) / leave;
}

// The chance, outside critical sections, to enter one, such that the share
// `guarded` of all accesses is made inside.
uint64_t enter_chance(double guarded, uint64_t nesting) {
  if (guarded <= 0) return 0;
  const double outside = accesses_inside(1, nesting) * (1 - guarded) / guarded;
  return chance(1 / (1 + outside));
}

uint64_t free_events(const GeneratorOptions& options) {
  return options.events - ThreadSchedule::changes(options.shape, options.threads) -
         2 * options.races;
}

}  // namespace

uint32_t NumberedNames::add(uint32_t number) {
  const uint32_t id = table_.append(fmt::format("{}{}", prefix_, first_ + number));
  ids_[number] = id + 1;
  return id;
}

Result<void> TraceGenerator::check(const GeneratorOptions& options) {
  if (options.threads == 0) return fail("a trace needs at least one thread");
  if (options.threads > kMaxThreads) {
    return fail("{} threads are too many: a trace has at most {}", with_commas(options.threads),
                with_commas(kMaxThreads));
  }
  if (options.locations < 2) {
    return fail("a trace needs at least 2 locations, one of which is only read");
  }
  for (const uint64_t count :
       {options.locks, options.locations, options.races, options.units, options.sites}) {
    if (count > kMostNames) {
      return fail("{} locks, locations, races, units or sites are too many: at most {}",
                  with_commas(count), with_commas(kMostNames));
    }
  }
  for (const double share : {options.guarded, options.reads}) {
    if (std::isnan(share) || share < 0 || share > 1) {
      return fail("{} is not a share: shares are 0 to 1", share);
    }
  }
  if (options.races > 0 && options.threads < 2) {
    return fail("a race needs two threads, and this trace would have one");
  }
  const uint64_t changes = ThreadSchedule::changes(options.shape, options.threads);
  if (options.events < changes + 2 * options.races) {
    return fail("{} are too few: forking and joining {} and planting {} takes {}",
                counted(options.events, "event"), counted(options.threads, "thread"),
                counted(options.races, "race"), with_commas(changes + 2 * options.races));
  }
  return {};
}

TraceGenerator::TraceGenerator(const GeneratorOptions& options)
    : options_(options),
      thread_names_(symbols_.names(Space::thread), "", 1, options.threads),
      lock_names_(symbols_.names(Space::lock), "l", 0, options.locks),
      location_names_(symbols_.names(Space::location), "x", 0, options.locations),
      label_names_(symbols_.names(Space::label), "u", 0, options.units),
      site_ids_(options.sites),
      free_(free_events(options)),
      random_(options.seed),
      schedule_(options.shape, static_cast<uint32_t>(options.threads), free_),
      threads_(options.threads),
      locks_(options.locks) {
  const auto locations = static_cast<uint32_t>(options.locations);
  if (options.locks > 0 && options.nesting > 0 && options.guarded > 0) {
    const auto share = static_cast<uint32_t>(options.guarded * locations);
    guarded_ = std::clamp(share, 1U, locations - 1);
    enter_ = enter_chance(options.guarded, options.nesting);
  }
  read_only_ = std::max(1U, (locations - guarded_) / 4);
  owned_ = locations - guarded_ - read_only_;
  read_ = chance(options.reads);
  if (options.sites > 0) symbols_.files.append("gen.cpp");
  // The first fork names its child before its parent is emitted.
  if (options.shape != ForkShape::none) thread_names_[0];
  find_next_due();
}

void TraceGenerator::next(EventBuffer& buffer) {
  buffer.clear(emitted_);
  buffer.events.reserve(kBatchEvents + 64);
  buffer_ = &buffer;
  while (buffer.events.size() < kBatchEvents) {
    if (used_ < due_) {
      step();
    } else if (!do_what_is_due()) {
      break;
    }
  }
  emitted_ += buffer.events.size();
}

void TraceGenerator::emit(uint32_t thread, Op op, uint32_t object) {
  SiteId site = kNoSite;
  if (!site_ids_.empty()) {
    // An object is accessed at few sites, as in programs.
    const uint64_t mixed =
        (uint64_t{object} * 4 + (random_.next() & 3)) * 31 + static_cast<uint64_t>(op) * 7;
    const auto number = static_cast<uint32_t>(mixed % site_ids_.size());
    if (site_ids_[number] == kNoSite) {
      site_ids_[number] = symbols_.sites.size();
      symbols_.sites.push_back({.file = 1, .line = number + 1});
    }
    site = site_ids_[number];
  }
  buffer_->events.push_back(make_event(thread_names_[thread], op, object, site));
}

// ---- what threads do

void TraceGenerator::pick_thread() {
  const uint64_t random = random_.next();
  current_ = schedule_.alive_thread(Random::scaled(random, schedule_.alive()));
  run_left_ = 1 + static_cast<uint32_t>(random % kLongestRun);
}

void TraceGenerator::step() {
  if (run_left_ == 0) pick_thread();
  --run_left_;
  const uint64_t random = random_.next();
  if (threads_[current_].depth > 0) {
    step_inside(current_, random);
  } else {
    step_outside(current_, random);
  }
}

void TraceGenerator::step_outside(uint32_t thread, uint64_t random) {
  Thread& state = threads_[thread];
  if (options_.units > 0 && step_unit(thread)) return;
  const bool enters = state.blocked || static_cast<uint32_t>(random) < enter_;
  if (!enters || left() < 2) return access_unguarded(thread);
  const uint32_t lock = Random::scaled(random, static_cast<uint32_t>(options_.locks));
  state.blocked = locks_[lock].owner != kNone;
  if (!state.blocked) return acquire(thread, lock);
  // The thread would have to wait for the owner: it is the owner's turn. In its
  // own next turn it tries another lock.
  current_ = locks_[lock].owner;
}

bool TraceGenerator::step_unit(uint32_t thread) {
  uint32_t& unit = threads_[thread].unit;
  const uint64_t random = random_.next();
  if (static_cast<uint32_t>(random) >= (unit == kNone ? kBegin : kEnd)) return false;
  if (unit == kNone) {
    if (left() < 2) return false;
    unit = Random::scaled(random, static_cast<uint32_t>(options_.units));
    emit(thread, Op::beg, label_names_[unit]);
    used_ += 2;
  } else {
    emit(thread, Op::end, label_names_[unit]);
    unit = kNone;
  }
  return true;
}

void TraceGenerator::step_inside(uint32_t thread, uint64_t random) {
  const auto roll = static_cast<uint32_t>(random);
  if (roll < kLeave) return release(thread);
  const Thread& state = threads_[thread];
  if (roll < kLeave + kNest && state.depth < options_.nesting && left() >= 2) {
    const uint32_t higher = static_cast<uint32_t>(options_.locks) - state.innermost - 1;
    const uint32_t lock = state.innermost + 1 + Random::scaled(random, higher);
    if (higher > 0 && locks_[lock].owner == kNone) return acquire(thread, lock);
  }
  access_guarded(thread, random);
}

void TraceGenerator::acquire(uint32_t thread, uint32_t lock) {
  locks_[lock] = {thread, threads_[thread].innermost};
  threads_[thread].innermost = lock;
  ++threads_[thread].depth;
  used_ += 2;
  emit(thread, Op::acq, lock_names_[lock]);
}

void TraceGenerator::release(uint32_t thread) {
  const uint32_t lock = threads_[thread].innermost;
  threads_[thread].innermost = locks_[lock].outer;
  --threads_[thread].depth;
  locks_[lock] = {};
  emit(thread, Op::rel, lock_names_[lock]);
}

void TraceGenerator::access(uint32_t thread, Op op, uint32_t location) {
  ++used_;
  emit(thread, op, location_names_[location]);
}

void TraceGenerator::access_guarded(uint32_t thread, uint64_t random) {
  uint32_t lock = threads_[thread].innermost;
  if (random % 4 == 0 && locks_[lock].outer != kNone) lock = locks_[lock].outer;
  const auto locks = static_cast<uint32_t>(options_.locks);
  const uint32_t count = guarded_ / locks + (lock < guarded_ % locks ? 1 : 0);
  if (count == 0) return access_unguarded(thread);
  const uint64_t more = random_.next();
  const Op op = static_cast<uint32_t>(more) < read_ ? Op::rd : Op::wr;
  access(thread, op, lock + locks * Random::scaled(more, count));
}

void TraceGenerator::access_unguarded(uint32_t thread) {
  const uint64_t random = random_.next();
  const Op op = static_cast<uint32_t>(random) < read_ ? Op::rd : Op::wr;
  const auto threads = static_cast<uint32_t>(options_.threads);
  const uint32_t own = owned_ / threads + (thread < owned_ % threads ? 1 : 0);
  const bool shared = own == 0 || (op == Op::rd && random % 2 == 0);
  if (shared) {
    access(thread, Op::rd, guarded_ + owned_ + Random::scaled(random, read_only_));
  } else {
    access(thread, op, guarded_ + thread + threads * Random::scaled(random, own));
  }
}

// Releases what the thread holds and, if asked, ends its unit.
void TraceGenerator::close(uint32_t thread, bool unit) {
  while (threads_[thread].depth > 0) release(thread);
  if (!unit || threads_[thread].unit == kNone) return;
  emit(thread, Op::end, label_names_[threads_[thread].unit]);
  threads_[thread].unit = kNone;
}

// ---- what the schedule does

void TraceGenerator::find_next_due() {
  due_ = free_;
  if (const std::optional<uint64_t> change = schedule_.next_time()) due_ = std::min(due_, *change);
  if (races_planted_ < options_.races && schedule_.alive() > 1) {
    due_ = std::min(due_, portion(free_, races_planted_ + 1, options_.races + 1));
  }
}

// One thing: a race if one is due, else a fork or join, else, at the end, the
// closing of a thread. False when everything is done.
bool TraceGenerator::do_what_is_due() {
  const std::optional<uint64_t> change = schedule_.next_time();
  if (races_planted_ < options_.races && schedule_.alive() > 1 &&
      used_ >= portion(free_, races_planted_ + 1, options_.races + 1)) {
    plant_race();
  } else if (change && used_ >= *change) {
    const ThreadSchedule::Change made = schedule_.advance();
    if (!made.fork) close(made.child, true);
    emit(made.parent, made.fork ? Op::fork : Op::join, thread_names_[made.child]);
    run_left_ = 0;  // the current thread may have ended
  } else if (closed_ < options_.threads) {
    close(closed_++, true);
  } else {
    return false;
  }
  find_next_due();
  return true;
}

void TraceGenerator::plant_race() {
  const uint32_t alive = schedule_.alive();
  const uint32_t place = random_.below(alive);
  const uint32_t first = schedule_.alive_thread(place);
  const uint32_t second = schedule_.alive_thread((place + 1 + random_.below(alive - 1)) % alive);
  close(first, false);
  close(second, false);
  const uint32_t location =
      symbols_.names(Space::location).append(fmt::format("race{}", races_planted_));
  // The second one writes, so that lockset analyses see the race too.
  emit(first, random_.below(2) == 0 ? Op::rd : Op::wr, location);
  emit(second, Op::wr, location);
  ++races_planted_;
}

}  // namespace foretrace
