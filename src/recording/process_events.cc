#include "recording/process_events.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace foretrace {

using recording::Kind;
using recording::Record;

namespace {

// Whether a record is of what a thread does, and not of memory or of where it is.
bool names_stack(const Record& record) {
  return (recording::can_name_stack(static_cast<uint8_t>(record.kind())) ||
          record.kind() == Kind::free) &&
         !record.stamped() && record.upper() != 0;
}

}  // namespace

ProcessEvents::ProcessEvents(uint32_t process, std::vector<MemoryPiece> pieces,
                             RecordedNames& names, Symbols& symbols, PlaceNames& places,
                             NameCounts& counts, RunLog& log, ProcessTraits traits)
    : process_(process),
      traits_(std::move(traits)),
      names_(names),
      symbols_(symbols),
      places_(places),
      counts_(counts),
      log_(log),
      memory_(std::move(pieces),
              [this](uint64_t address, uint64_t bytes) { return new_location(address, bytes); }) {}

void ProcessEvents::add(uint32_t number, std::span<const Record> records, EventBuffer& buffer) {
  buffer_ = &buffer;
  Thread& self = thread(number);
  for (const Record& record : records) add(self, record);
}

void ProcessEvents::add(Thread& self, const Record& record) {
  site_number_ = record.site();
  impatient_ = record.kind() == Kind::try_lock || record.kind() == Kind::try_lock_shared;
  stack_ = names_stack(record) ? record.upper() : self.stack;
  if (recording::is_placed(site_number_)) {
    const uint32_t placed = site_number_ & ~recording::kPlacedSite;
    stack_ = names_.stacks()->parent(placed);
    site_number_ = names_.stacks()->site(placed);
  }
  const uint64_t address = record.address();
  if (record.kind() == Kind::operand) {
    self.earlier_operand = std::exchange(self.operand, address);
    return;
  }
  if (record.kind() == Kind::stamp) return;  // nothing but an order
  // While a thread waits, only a signal handler can record in its name (waits.h).
  const bool reacquires = record.kind() == Kind::lock && self.waits_for == address;
  if (is_of_thread(record.kind()) && (self.joined || (self.waits_for && !reacquires))) {
    ++left_out_;
    return;
  }
  switch (record.kind()) {
    case Kind::read:
      return access(self, {Op::rd}, address, record.size());
    case Kind::write:
      return access(self, {Op::wr}, address, record.size());
    case Kind::update:
      return access(self, {Op::rd, Op::wr}, address, record.size());
    case Kind::read_range:
      return access(self, {Op::rd}, address, record.upper());
    case Kind::write_range:
      return access(self, {Op::wr}, address, record.upper());
    case Kind::read_strided:
      return access_elements(self, Op::rd, record);
    case Kind::write_strided:
      return access_elements(self, Op::wr, record);
    case Kind::atomic_read:
      return access(self, {Op::vrd}, address, std::max(1U, record.size()));
    case Kind::atomic_write:
      return access(self, {Op::vwr}, address, std::max(1U, record.size()));
    case Kind::atomic_update:
      return access(self, {Op::vrmw}, address, std::max(1U, record.size()));
    case Kind::relaxed_read:
      return access(self, {traits_.has_fences ? Op::vrd : Op::ard}, address,
                    std::max(1U, record.size()));
    case Kind::relaxed_write:
      return access(self, {traits_.has_fences ? Op::vwr : Op::awr}, address,
                    std::max(1U, record.size()));
    case Kind::relaxed_update:
      return access(self, {traits_.has_fences ? Op::vrmw : Op::armw}, address,
                    std::max(1U, record.size()));
    case Kind::lock:
    case Kind::try_lock:
      return acquire(self, address, false);
    case Kind::lock_shared:
    case Kind::try_lock_shared:
      return acquire(self, address, true);
    case Kind::unlock:
      return release(self, address);
    case Kind::cond_wait:
      return wait(self, record, self.operand);
    case Kind::cond_signal:
      return notify(self, address, Op::notify);
    case Kind::cond_broadcast:
      return notify(self, address, Op::notifyall);
    case Kind::barrier: {
      const auto [known, is_new] = barriers_.try_emplace(address, 0);
      if (is_new) {
        known->second = symbols_.names(Space::barrier).append(name_of_place(address, "barrier"));
      }
      return emit(self, Op::barrier, known->second);
    }
    case Kind::thread_create:
      return create(self, thread(static_cast<uint32_t>(address)));
    case Kind::thread_join:
      return join(self, thread(static_cast<uint32_t>(address)));
    case Kind::alloc:
      return begin_block(address, whole_words(allocated_bytes(record, self.operand)));
    case Kind::free:
      return end_block(self, address, record.site() != 0);
    case Kind::lock_gone:
      forget_locks(address, address + 1);
      return;
    case Kind::owner_died:
      return end_owner(address);
    case Kind::unit_begin:
      return begin_unit(self, static_cast<uint32_t>(address));
    case Kind::unit_end:
      return end_unit(self);
    case Kind::benign:
      benign_[address] = self.operand;
      return;
    case Kind::atomic_set:
      // Locations belong to a set from their birth.
      memory_.forget(address, self.operand);
      sets_[address] = {self.operand, names_.label(static_cast<uint32_t>(self.earlier_operand))};
      return;
    case Kind::stack:
      self.stack = static_cast<uint32_t>(address);
      return;
    case Kind::none:
    case Kind::operand:
    case Kind::stamp:
    case Kind::fence:
      return;
    case Kind::read_group:   // of a program without groups: else they are reads (read_groups.h),
    case Kind::update_pair:  // or reads and writes
      ++left_out_;
      return;
  }
}

// ---- threads

ProcessEvents::Thread& ProcessEvents::new_thread(uint32_t recorded) {
  Thread& fresh = threads_.emplace_back();
  std::string name = names_.thread(process_, recorded);
  if (name.empty()) name = recorded == 0 ? "main" : fmt::format("T{}", recorded);
  if (process_ > 0) name = fmt::format("p{}/{}", process_, name);
  fresh.id = symbols_.names(Space::thread).append(counts_.unique(std::move(name)));
  return fresh;
}

void ProcessEvents::emit(Thread& thread, Op op, uint32_t object) {
  log_stack(thread);
  const SiteId where = site();
  buffer_->events.push_back(
      make_event(thread.id, op, object, impatient_ ? impatient_twin(where) : where));
}

SiteId ProcessEvents::impatient_twin(SiteId site) {
  const auto [twin, is_new] = impatient_twins_.try_emplace(site, symbols_.sites.size());
  if (is_new) {
    symbols_.sites.push_back(symbols_.sites[site]);
    symbols_.impatient_sites.push_back(twin->second);
  }
  return twin->second;
}

// A thread may end with locks; a joined one holds none.
void ProcessEvents::let_go_of_everything(Thread& thread) {
  const uint32_t stack = std::exchange(stack_, thread.stack);
  while (!thread.units.empty()) {
    emit(thread, Op::end, thread.units.back());
    thread.units.pop_back();
  }
  while (!thread.held.empty()) release(thread, thread.held.back().address);
  stack_ = stack;
}

void ProcessEvents::create(Thread& thread, Thread& child) {
  if (child.begun || child.joined || child.id == thread.id) {
    ++left_out_;
    return;
  }
  child.begun = true;
  log_.starts[child.id] = {thread.id, next_index(), site()};
  emit(thread, Op::fork, child.id);
}

void ProcessEvents::join(Thread& thread, Thread& child) {
  if (child.waits_for || child.joined || child.id == thread.id) {
    ++left_out_;
    return;
  }
  if (!child.units.empty() || !child.held.empty()) let_go_of_everything(child);
  child.joined = true;
  emit(thread, Op::join, child.id);
}

// ---- accesses

// What may race counts as atomic: no race, and its order is respected.
bool ProcessEvents::is_benign(uint64_t address) const {
  auto range = benign_.upper_bound(address);
  return range != benign_.begin() && address < (--range)->first + range->second;
}

void ProcessEvents::access(Thread& thread, std::initializer_list<Op> ops, uint64_t address,
                           uint64_t bytes) {
  const std::span<const LocationId> locations = memory_.locate(address, bytes);
  if (locations.empty()) return;
  log_stack(thread);
  const bool benign = !benign_.empty() && is_benign(address);
  for (Op op : ops) {
    if (benign && is_access(op)) op = op == Op::rd ? Op::vrd : Op::vwr;
    // A range has many: the rest of the event is the same for all of them.
    Event event = make_event(thread.id, op, 0, site());
    for (const LocationId location : locations) {
      event.object = location;
      keepers_[location].access(thread.id, writes(op));
      buffer_->events.push_back(event);
    }
  }
}

// One by one, but for those in pages without any location.
void ProcessEvents::access_elements(Thread& thread, Op op, const Record& record) {
  uint64_t address = record.address();
  if (record.size() == 0 || !memory_.may_be_between(address, address + record.extent())) return;
  for (uint64_t left = record.elements(); left > 0;) {
    uint64_t count = 1;
    const uint64_t in_page = kSurveyPage - address % kSurveyPage;
    if (in_page < record.size() || memory_.may_be_in_page(address)) {
      access(thread, {op}, address, record.size());
    } else if (record.stride() > 0) {
      count = std::min(left, (in_page - record.size()) / record.stride() + 1);
    }
    address += count * record.stride();
    left -= count;
  }
}

// ---- locks

ProcessEvents::Lock* ProcessEvents::find_lock(uint64_t address) {
  RecentLock& recent = recent_locks_[address * 0x9E3779B97F4A7C15ULL >> (64 - kRecentLockBits)];
  if (recent.address != address) {
    const auto found = locks_.find(address);
    if (found == locks_.end()) return nullptr;
    recent = {address, &found->second};
  }
  return recent.lock;
}

ProcessEvents::Lock& ProcessEvents::lock_at(uint64_t address) {
  if (Lock* const known = find_lock(address)) return *known;
  const LockId id = symbols_.names(Space::lock).append(name_of_place(address, "lock"));
  return locks_.try_emplace(address, Lock{id}).first->second;
}

void ProcessEvents::forget_locks(uint64_t first, uint64_t end) {
  const auto gone = locks_.lower_bound(first);
  if (gone == locks_.end() || gone->first >= end) return;
  locks_.erase(gone, locks_.lower_bound(end));
  recent_locks_.fill(RecentLock());
}

void ProcessEvents::acquire(Thread& thread, uint64_t address, bool shared) {
  thread.waits_for.reset();
  Lock* lock = &lock_at(address);
  const auto mine = std::find_if(thread.held.begin(), thread.held.end(), [&](const Held& held) {
    return held.lock == lock->id && held.shared == shared;
  });
  if (mine != thread.held.end()) {
    ++mine->depth;
    (shared ? lock->readers : lock->owner_depth) += 1;
    return emit(thread, shared ? Op::racq : Op::acq, lock->id);
  }
  if (lock->owner_depth > 0 || (!shared && lock->readers > 0)) {
    // Its release was lost. What is held for ever is another lock.
    ++left_out_;
    forget_locks(address, address + 1);
    lock = &lock_at(address);
  }
  (shared ? lock->readers : lock->owner_depth) += 1;
  thread.held.push_back({address, lock->id, shared, 1});
  emit(thread, shared ? Op::racq : Op::acq, lock->id);
}

void ProcessEvents::release(Thread& thread, uint64_t address) {
  const auto mine = std::find_if(thread.held.rbegin(), thread.held.rend(),
                                 [&](const Held& held) { return held.address == address; });
  if (mine == thread.held.rend()) {
    ++left_out_;
    return;
  }
  // The address may have become another lock meanwhile.
  Lock* const lock = find_lock(address);
  if (lock != nullptr && lock->id == mine->lock) {
    (mine->shared ? lock->readers : lock->owner_depth) -= 1;
  }
  emit(thread, mine->shared ? Op::rrel : Op::rel, mine->lock);
  if (--mine->depth == 0) thread.held.erase(std::next(mine).base());
}

// A robust mutex: its holder has ended without giving it back, and the kernel did.
void ProcessEvents::end_owner(uint64_t address) {
  for (Thread& thread : threads_) {
    const auto is_it = [&](const Held& held) { return held.address == address; };
    if (std::any_of(thread.held.begin(), thread.held.end(), is_it)) {
      stack_ = thread.stack;
      return release(thread, address);
    }
  }
}

void ProcessEvents::wait(Thread& thread, const Record& record, uint64_t condition) {
  const uint64_t mutex = record.address();
  Lock& lock = lock_at(mutex);
  const auto mine = std::find_if(thread.held.begin(), thread.held.end(), [&](const Held& held) {
    return held.lock == lock.id && !held.shared;
  });
  if (mine == thread.held.end()) {
    ++left_out_;
    return;
  }
  conditions_[condition] = lock.id;
  if (traits_.interrupted_waits.contains(record.upper())) {
    for (uint32_t depth = mine->depth; depth > 0; --depth) release(thread, mutex);
    return;
  }
  thread.held.erase(mine);
  lock.owner_depth = 0;
  thread.waits_for = mutex;
  emit(thread, Op::wait, lock.id);
}

// Events name the lock of a condition, not the condition. If nobody has waited
// yet, nobody is woken.
void ProcessEvents::notify(Thread& thread, uint64_t condition, Op op) {
  const auto found = conditions_.find(condition);
  if (found != conditions_.end()) emit(thread, op, found->second);
}

// ---- units

void ProcessEvents::begin_unit(Thread& thread, uint32_t label) {
  const auto [known, is_new] = labels_.try_emplace(label, 0);
  if (is_new) known->second = label_named(names_.label(label));
  thread.units.push_back(known->second);
  emit(thread, Op::beg, known->second);
}

// Each place in the source has a number; units with the same label share it.
uint32_t ProcessEvents::label_named(const std::string& name) {
  const auto [known, is_new] = labels_by_name_.try_emplace(name, 0);
  if (is_new) known->second = symbols_.names(Space::label).append(name);
  return known->second;
}

void ProcessEvents::end_unit(Thread& thread) {
  if (thread.units.empty()) {
    ++left_out_;
    return;
  }
  emit(thread, Op::end, thread.units.back());
  thread.units.pop_back();
}

// ---- memory

LocationId ProcessEvents::new_location(uint64_t address, uint64_t bytes) {
  const bool is_edge = (address & Record::kEdge) != 0;
  NamedPlace place = place_at(address, is_edge ? "edge" : "memory");
  if (!is_edge) place.bytes = bytes;
  const LocationId location = places_.add_location(place);
  if (location >= keepers_.size()) keepers_.resize(location + 1);
  auto set = sets_.upper_bound(address);
  if (set != sets_.begin() && address < (--set)->first + set->second.bytes) {
    symbols_.sets.push_back({set->second.name, {std::string(symbols_.location(location))}});
  }
  return location;
}

void ProcessEvents::begin_block(uint64_t address, uint64_t bytes) {
  forget(address, bytes);
  // By who called it, if it is in a header of the system. (Of code without our sites that is
  // not asked: it would take debug information.)
  const bool by_stack =
      (site_number_ & recording::kCodeSite) == 0 && names_.site(site_number_).is_system;
  uint32_t& count = allocated_[uint64_t{by_stack ? stack_ : 0} << 32 | site_number_];
  blocks_.begin(address, {bytes, site_number_, stack_, ++count});
}

// If it is seen, by code with hooks, it is a write of what was used: whoever comes later comes too
// late.
void ProcessEvents::end_block(Thread& thread, uint64_t address, bool is_seen) {
  Block* const found = blocks_.at(address);
  if (found == nullptr || !found->alive) return;
  Block& block = *found;
  block.alive = false;
  if (is_seen && !thread.joined && !thread.waits_for) {
    for (const LocationId location : memory_.known(address, block.bytes)) {
      if (keepers_[location].is(thread.id)) continue;
      log_stack(thread);
      buffer_->events.push_back(make_event(thread.id, Op::wr, location, site()));
    }
  }
  if (is_seen && block.bytes <= kLargestKeptBlock) {
    forget_locks(address, address + block.bytes);
  } else {
    forget(address, block.bytes);
  }
}

void ProcessEvents::forget(uint64_t address, uint64_t bytes) {
  memory_.forget(address, bytes);
  const auto erase = [&](auto& map) {
    map.erase(map.lower_bound(address), map.lower_bound(address + bytes));
  };
  forget_locks(address, address + bytes);
  erase(conditions_);
  erase(barriers_);
  erase(benign_);
  erase(sets_);
}

// ---- names

NamedPlace ProcessEvents::place_at(uint64_t address, const char* fallback) {
  const RecordedSite& site = names_.site(site_number_);
  NamedPlace place = {.fallback = fallback,
                      .where = names_.site_in(site_number_, stack_),
                      .what = places_.add_what(site),
                      .element = site.element};
  if (const MemoryBlocks<Block>::Found found = blocks_.around(address); found.block != nullptr) {
    place.object = {names_.site_in(found.block->site, found.block->stack), found.block->number};
    place.offset = found.block->offset + (address - found.address);
  }
  if (place.what == 0 && place.object.site == kNoSite) {
    if (const std::string variable = names_.variable(address); !variable.empty()) {
      place.what = places_.add_what(variable);
    }
  }
  return place;
}

}  // namespace foretrace
