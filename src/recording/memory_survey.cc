#include "recording/memory_survey.h"

#include <algorithm>
#include <bit>

namespace foretrace {

using recording::Kind;
using recording::Record;

namespace {

constexpr uint64_t kLarge = 64 << 10;

}  // namespace

void MemorySurvey::add_one(uint32_t thread, const Record& record) {
  const uint64_t address = record.address();
  if (record.kind() == Kind::stack) return;
  waits_.add(thread, record);
  order_.go_on(thread);
  switch (record.kind()) {
    case Kind::read:
      return access(thread, address, record.size(), false, false);
    case Kind::write:
    case Kind::update:  // the write alone comes to the same
      return access(thread, address, record.size(), true, false);
    case Kind::read_range:
      return access_range(thread, record, false);
    case Kind::write_range:
      return access_range(thread, record, true);
    case Kind::read_strided:
      return access_elements(thread, record, false);
    case Kind::write_strided:
      return access_elements(thread, record, true);
    // What follows comes after the write that is seen. The access itself need not: a race's
    // schedule ends with it, whatever it sees there.
    case Kind::atomic_read:
      access(thread, address, std::max(1U, record.size()), false, true);
      return order_.atomic_read(thread, address, std::max(1U, record.size()));
    case Kind::atomic_write:
      access(thread, address, std::max(1U, record.size()), true, true);
      return order_.atomic_write(thread, address, std::max(1U, record.size()));
    case Kind::atomic_update:
      access(thread, address, std::max(1U, record.size()), true, true);
      return order_.atomic_update(thread, address, std::max(1U, record.size()));
    // These order nothing; whoever sees an update may also see what it came after.
    case Kind::relaxed_read:
      return access(thread, address, std::max(1U, record.size()), false, true);
    case Kind::relaxed_write:
      order_.overwrite(address, std::max(1U, record.size()));
      return access(thread, address, std::max(1U, record.size()), true, true);
    case Kind::relaxed_update:
      return access(thread, address, std::max(1U, record.size()), true, true);
    case Kind::fence:
      has_fences_ = true;
      return;
    case Kind::thread_create:
      return order_.create(thread, threads_.of(static_cast<uint32_t>(address)));
    case Kind::thread_join: {
      const uint32_t child = threads_.of(static_cast<uint32_t>(address));
      if (follows_locks()) locks_.end_thread(child);
      return order_.join(thread, child);
    }
    case Kind::barrier:
      return order_.arrive(thread, address);
    case Kind::operand:
      if (thread >= operands_.size()) operands_.resize(thread + 1);
      operands_[thread] = address;
      return;
    case Kind::alloc:
      return begin_block(address, whole_words(allocated_bytes(record, operand_of(thread))));
    case Kind::free:
      return end_block(thread, address, record.site() != 0);
    case Kind::atomic_set:
      return begin_set(address, operand_of(thread));
    case Kind::benign:
      that_matter_[address] = operand_of(thread);
      return;
    default:
      if (follows_locks()) add_lock(thread, record);
      return;
  }
}

void MemorySurvey::add_lock(uint32_t thread, const Record& record) {
  const uint64_t address = record.address();
  switch (record.kind()) {
    case Kind::lock:
    case Kind::try_lock:
      return locks_.acquire(thread, address, false);
    case Kind::lock_shared:
    case Kind::try_lock_shared:
      return locks_.acquire(thread, address, true);
    case Kind::unlock:
      return locks_.release(thread, address);
    case Kind::cond_wait:
      return locks_.wait(thread, address);
    case Kind::owner_died:
      return locks_.end_owner(address);
    case Kind::lock_gone:
      return locks_.forget(address, 1);
    default:
      return;
  }
}

// ---- accesses

// Once something may race nobody asks for locks any more.
AccessStates::Access MemorySurvey::access_by(uint32_t thread, bool write, bool matters,
                                             const AccessStates::Place& atomic) {
  static constexpr HeldNumber kAtomic[] = {{kAtomicity, false}};
  AccessStates::Access access = {thread, order_.epoch(thread), write, matters, {}, atomic};
  if (!follows_locks()) {
    access.matters |= access.is_atomic();
  } else {
    access.locks = access.is_atomic() ? kAtomic : locks_.held(thread);
  }
  return access;
}

bool MemorySurvey::must_matter(uint64_t address, uint64_t bytes) const {
  auto range = that_matter_.lower_bound(address + bytes);
  return range != that_matter_.begin() && (--range)->first + range->second > address;
}

void MemorySurvey::access(uint32_t thread, uint64_t address, uint64_t bytes, bool write,
                          bool atomic) {
  if (states_.are_many()) drop_unused_states();
  const bool matters = all_ || (!that_matter_.empty() && must_matter(address, bytes));
  AccessStates::Place place;
  if (atomic) place = {address, static_cast<uint32_t>(bytes)};
  const AccessStates::Access access = access_by(thread, write, matters, place);
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t number = address / kSurveyPage;
    const uint64_t start = number * kSurveyPage;
    const uint64_t page_end = std::min(end, start + kSurveyPage);
    Page& page = page_of(number);
    if (atomic) {
      page.atomics = true;
    } else if (write && page.atomics) {
      order_.overwrite(address, page_end - address);
    }
    access_page(page, static_cast<uint32_t>(address - start),
                static_cast<uint32_t>(page_end - start), access);
    address = page_end;
  }
}

void MemorySurvey::access_range(uint32_t thread, const Record& record, bool write) {
  if (record.upper() > Record::kMostRange) {
    damaged_ = threads_.recorded(thread);
  } else {
    access(thread, record.address(), record.upper(), write, false);
  }
}

// Those of a page at once, where each is in one.
void MemorySurvey::access_elements(uint32_t thread, const Record& record, bool write) {
  if (states_.are_many()) drop_unused_states();
  const AccessStates::Access access_by_all = access_by(thread, write, all_);
  const uint64_t stride = record.stride();
  const uint64_t bytes = record.size();
  if (bytes == 0) return;
  uint64_t address = record.address();
  for (uint64_t left = record.elements(); left > 0;) {
    const uint64_t start = address / kSurveyPage * kSurveyPage;
    const auto first = static_cast<uint32_t>(address - start);
    Page& page = page_of(start / kSurveyPage);
    if (first + bytes > kSurveyPage || stride < bytes || (write && page.atomics) ||
        !that_matter_.empty()) {
      access(thread, address, bytes, write, false);
      address += stride;
      --left;
      continue;
    }
    const uint64_t count = std::min(left, (kSurveyPage - bytes - first) / stride + 1);
    access_page(page, {first, record.size(), record.stride(), static_cast<uint32_t>(count)},
                access_by_all);
    address += stride * count;
    left -= count;
  }
}

MemorySurvey::Page& MemorySurvey::page_of(uint64_t number) {
  RecentPage& recent = recent_pages_[number % recent_pages_.size()];
  if (recent.number != number) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) {
      page = std::make_unique<Page>();
      page->forgotten = is_large(number * kSurveyPage);
    }
    recent = {number, page.get()};
  }
  return *recent.page;
}

void MemorySurvey::access_page(Page& page, uint32_t first, uint32_t end,
                               const AccessStates::Access& access) {
  page.set_edge(first);
  if (end < kSurveyPage) page.set_edge(end);
  divide(page, first | end);
  if (page.units.empty()) page.units.resize(kSurveyPage >> page.shift, AccessStates::kUntouched);
  StateId before = page.units[first >> page.shift];
  StateId after = states_.after(before, access);
  for (uint32_t unit = first >> page.shift; unit < end >> page.shift; ++unit) {
    if (page.units[unit] != before) {
      before = page.units[unit];
      after = states_.after(before, access);
    }
    page.units[unit] = after;
  }
}

void MemorySurvey::access_page(Page& page, const Elements& elements,
                               const AccessStates::Access& access) {
  divide(page, elements.first | elements.bytes | elements.stride);
  if (page.units.empty()) page.units.resize(kSurveyPage >> page.shift, AccessStates::kUntouched);
  StateId before = page.units[elements.first >> page.shift];
  StateId after = states_.after(before, access);
  uint32_t at = elements.first;
  for (uint32_t element = 0; element < elements.count; ++element, at += elements.stride) {
    const uint32_t end = at + elements.bytes;
    page.set_edge(at);
    if (end < kSurveyPage) page.set_edge(end);
    for (uint32_t unit = at >> page.shift; unit < end >> page.shift; ++unit) {
      if (page.units[unit] != before) {
        before = page.units[unit];
        after = states_.after(before, access);
      }
      page.units[unit] = after;
    }
  }
}

void MemorySurvey::refine(Page& page, uint32_t places) {
  const uint32_t shift = std::min(kWordShift, static_cast<uint32_t>(std::countr_zero(places)));
  if (!page.units.empty()) {
    std::vector<StateId> units(kSurveyPage >> shift);
    const uint32_t parts = page.shift - shift;
    for (uint32_t unit = 0; unit < units.size(); ++unit) units[unit] = page.units[unit >> parts];
    page.units = std::move(units);
  }
  page.shift = shift;
}

void MemorySurvey::drop_unused_states() {
  states_.begin_dropping();
  size_t units = 0;
  for (const auto& [number, page] : pages_) {
    for (StateId& state : page->units) state = states_.keep(state);
    units += page->units.size();
  }
  states_.end_dropping(units);
}

// ---- memory

uint32_t MemorySurvey::since_at(const Page& page, uint64_t address) const {
  if (!page.forgotten) return 0;
  const Block* const block = blocks_.around(address).block;
  const Block* const set = sets_.around(address).block;
  return std::max(block != nullptr ? block->since : 0, set != nullptr ? set->since : 0);
}

// Keeps them apart: an area that meets others becomes one with them.
void MemorySurvey::note_large(uint64_t address, uint64_t end) {
  auto area = large_.lower_bound(address);
  if (area != large_.begin() && std::prev(area)->second >= address) --area;
  while (area != large_.end() && area->first <= end) {
    address = std::min(address, area->first);
    end = std::max(end, area->second);
    area = large_.erase(area);
  }
  large_[address] = end;
}

// Whether some of the page that starts at the address is in a large area.
bool MemorySurvey::is_large(uint64_t address) const {
  const auto area = large_.lower_bound(address + kSurveyPage);
  return area != large_.begin() && std::prev(area)->second > address;
}

void MemorySurvey::Page::clear_edges(uint32_t first, uint32_t end) {
  while (first < end) {
    const uint32_t stop = std::min(end, (first / 64 + 1) * 64);
    const uint64_t bits = stop - first == 64 ? ~uint64_t{0} : (uint64_t{1} << (stop - first)) - 1;
    edges[first / 64] &= ~(bits << first % 64);
    first = stop;
  }
}

void MemorySurvey::begin_block(uint64_t address, uint64_t bytes) {
  forget(address, bytes);
  blocks_.begin(address, {bytes, forgotten_, true});
}

// `is_seen`: by code with hooks.
void MemorySurvey::end_block(uint32_t thread, uint64_t address, bool is_seen) {
  Block* const found = blocks_.at(address);
  if (found == nullptr || !found->alive) return;
  Block& block = *found;
  block.alive = false;
  if (is_seen) write_used(thread, address, block.bytes);
  if (is_seen && block.bytes <= kLargestKeptBlock) {
    order_.forget(address, block.bytes);
    locks_.forget(address, block.bytes);
    return;
  }
  forget(address, block.bytes);
  block.since = forgotten_;
}

// A block may have more pages than there are.
template <typename Visit>
void MemorySurvey::for_each_page(uint64_t address, uint64_t end, const Visit& visit) {
  const uint64_t first = address / kSurveyPage;
  const uint64_t last = (end - 1) / kSurveyPage;
  if (last - first < pages_.size()) {
    for (uint64_t number = first; number <= last; ++number) {
      const auto page = pages_.find(number);
      if (page != pages_.end()) visit(*page->second, number * kSurveyPage);
    }
  } else {
    for (const auto& [number, page] : pages_) {
      if (number >= first && number <= last) visit(*page, number * kSurveyPage);
    }
  }
}

// A write of what was used of these bytes.
void MemorySurvey::write_used(uint32_t thread, uint64_t address, uint64_t bytes) {
  if (states_.are_many()) drop_unused_states();
  const AccessStates::Access access = access_by(thread, true, all_);
  const uint64_t end = address + bytes;
  for_each_page(address, end, [&](Page& page, uint64_t start) {
    if (page.units.empty()) return;
    const auto first = static_cast<uint32_t>(std::max(address, start) - start);
    const auto last = static_cast<uint32_t>(std::min(end, start + kSurveyPage) - start);
    divide(page, first | last);
    for (uint32_t unit = first >> page.shift; unit << page.shift < last; ++unit) {
      StateId& state = page.units[unit];
      if (state != AccessStates::kUntouched) state = states_.after(state, access);
    }
  });
}

// Locations belong to a set from their birth.
void MemorySurvey::begin_set(uint64_t address, uint64_t bytes) {
  forget(address, bytes);
  that_matter_[address] = bytes;
  if (bytes > 0) sets_.begin(address, {bytes, forgotten_, true});
}

void MemorySurvey::forget(uint64_t address, uint64_t bytes) {
  order_.forget(address, bytes);
  locks_.forget(address, bytes);
  if (!that_matter_.empty()) {
    that_matter_.erase(that_matter_.lower_bound(address),
                       that_matter_.lower_bound(address + bytes));
  }
  ++forgotten_;
  if (bytes == 0) return;
  const bool large = bytes >= kLarge;
  if (large) note_large(address, address + bytes);
  const uint64_t end = address + bytes;
  const auto forget_page = [&](Page& page, uint64_t start) {
    forget_in(page, start, static_cast<uint32_t>(std::max(address, start) - start),
              static_cast<uint32_t>(std::min(end, start + kSurveyPage) - start));
  };
  // Pages of large areas that were never accessed are not made for this.
  if (large) return for_each_page(address, end, forget_page);
  for (uint64_t number = address / kSurveyPage; number * kSurveyPage < end; ++number) {
    forget_page(page_of(number), number * kSurveyPage);
  }
}

void MemorySurvey::forget_in(Page& page, uint64_t start, uint32_t first, uint32_t end) {
  page.forgotten = true;
  if (page.units.empty()) return;
  take_pieces(page, start, first, end);
  if (first == 0 && end == kSurveyPage) {
    page.units.clear();
    page.shift = kPageShift;
    page.edges = {};
    return;
  }
  divide(page, first | end);
  std::fill(page.units.begin() + (first >> page.shift), page.units.begin() + (end >> page.shift),
            AccessStates::kUntouched);
  page.clear_edges(first, end);
  // No piece is of what begins here and of what lies beside it.
  page.set_edge(first);
  if (end < kSurveyPage) page.set_edge(end);
}

// Where the next access starts or ended, `end` at most.
uint32_t MemorySurvey::Page::edge_behind(uint32_t at, uint32_t end) const {
  for (uint32_t next = at + 1; next < end; next = (next / 64 + 1) * 64) {
    if (const uint64_t bits = edges[next / 64] >> next % 64; bits != 0) {
      return std::min(end, next + static_cast<uint32_t>(std::countr_zero(bits)));
    }
  }
  return end;
}

void MemorySurvey::take_pieces(const Page& page, uint64_t start, uint32_t first, uint32_t end) {
  const auto end_of_unit = [&](uint32_t unit) { return (unit + 1) << page.shift; };
  for (uint32_t at = first; at < end;) {
    uint32_t unit = at >> page.shift;
    if (!states_.matters(page.units[unit])) {
      at = end_of_unit(unit);
      continue;
    }
    const uint32_t edge = page.edge_behind(at, end);
    while (end_of_unit(unit) < edge && states_.matters(page.units[unit + 1])) ++unit;
    const uint32_t piece_end = std::min(edge, end_of_unit(unit));
    pieces_.push_back({start + at, since_at(page, start + at), piece_end - at});
    at = piece_end;
  }
}

std::vector<MemoryPiece> MemorySurvey::take_pieces() {
  for (const auto& [number, page] : pages_) {
    if (!page->units.empty()) take_pieces(*page, number * kSurveyPage, 0, kSurveyPage);
  }
  pages_.clear();
  return std::move(pieces_);
}

}  // namespace foretrace
