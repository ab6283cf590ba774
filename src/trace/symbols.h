// The names behind the numbers in events: threads, locations, locks, labels,
// barriers, objects and sites.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/event.h"

namespace foretrace {

// An append-only array whose elements never move: one thread may append while
// others read elements whose index they got from it. (A std::vector would move
// its elements, a std::deque its index.)
template <typename T>
class StableVector {
 public:
  uint32_t size() const { return size_.load(std::memory_order_acquire); }

  bool empty() const { return size() == 0; }

  const T& operator[](uint32_t index) const {
    const auto [segment, place] = locate(index);
    return segments_[segment][place];
  }

  // For an element that nobody reads meanwhile.
  void set(uint32_t index, T value) {
    const auto [segment, place] = locate(index);
    segments_[segment][place] = std::move(value);
  }

  void push_back(T value) {
    const uint32_t index = size_.load(std::memory_order_relaxed);
    const auto [segment, place] = locate(index);
    if (segments_[segment] == nullptr) {
      segments_[segment] = std::make_unique<T[]>(size_t{kFirst} << segment);
    }
    segments_[segment][place] = std::move(value);
    size_.store(index + 1, std::memory_order_release);
  }

 private:
  static constexpr uint32_t kFirst = 64;  // elements in segment 0; each next doubles
  static std::pair<uint32_t, uint32_t> locate(uint32_t index) {
    // Segment k holds the indexes from kFirst * (2^k - 1) on.
    const uint64_t shifted = uint64_t{index} + kFirst;
    const auto segment = static_cast<uint32_t>(std::bit_width(shifted / kFirst) - 1);
    return {segment, static_cast<uint32_t>(shifted - (uint64_t{kFirst} << segment))};
  }

  std::array<std::unique_ptr<T[]>, 27> segments_;
  std::atomic<uint32_t> size_{0};
};

// Makes names that were left for later.
class NameMaker {
 public:
  virtual ~NameMaker() = default;
  // Called once for each number, in their order, by one thread at a time.
  virtual std::string make(uint32_t id) = 0;
};

// The names of one namespace, by number. The text lives in an arena.
class NameTable {
 public:
  uint32_t size() const { return names_.size(); }
  std::string_view operator[](uint32_t id) const {
    if (maker_ != nullptr) make_up_to(id);
    return names_[id];
  }
  uint32_t append(std::string_view name);

  // From now on, names are appended by append_later(), and made by the maker when somebody
  // asks for them.
  void leave_to(std::unique_ptr<NameMaker> maker) { maker_ = std::move(maker); }
  uint32_t append_later();

 private:
  std::string_view keep(std::string_view name) const;
  void make_up_to(uint32_t id) const;

  // What is made when it is asked for seems to have been there before.
  mutable StableVector<std::string_view> names_;
  mutable std::vector<std::unique_ptr<char[]>> blocks_;
  mutable size_t block_size_ = 0;  // of the last block
  mutable size_t left_ = 0;        // free bytes at its end
  std::unique_ptr<NameMaker> maker_;
  mutable std::mutex making_;
  mutable std::atomic<uint32_t> made_{0};  // the first ones
};

// A place in the source. `file` and `function` are numbers of Symbols::files
// and Symbols::functions plus one, 0 meaning "not known"; line and column 0
// mean "not known". A site with only a line is a bare number, as STD has them.
struct Site {
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t function = 0;
  bool operator==(const Site&) const = default;
};

// `set NAME LOC…`: these locations share a consistency property.
struct SetDeclaration {
  std::string name;
  std::vector<std::string> locations;
};
// `unit LABEL SET…`: units with this label should be atomic on these sets.
struct UnitDeclaration {
  std::string label;
  std::vector<std::string> sets;
};

// Everything that a trace says beside its events. Grows while the trace is
// read; one thread appends, others may read what events have shown them.
class Symbols {
 public:
  Symbols();

  NameTable& names(Space space) { return names_[static_cast<size_t>(space)]; }
  const NameTable& names(Space space) const { return names_[static_cast<size_t>(space)]; }
  std::string_view thread(ThreadId id) const { return names(Space::thread)[id]; }
  std::string_view location(LocationId id) const { return names(Space::location)[id]; }
  std::string_view lock(LockId id) const { return names(Space::lock)[id]; }
  // The name of the event's object, whatever its namespace; "" for Op::skip.
  std::string_view object(const Event& event) const;

  NameTable files;
  NameTable functions;
  StableVector<Site> sites;  // [0] is the unknown site

  // Sites whose acquires do not wait for ever: of a trylock or a timed lock. Each
  // has a number that no other acquire has.
  StableVector<SiteId> impatient_sites;

  // "file:line:column", "file:line", "12", or "" for the unknown site.
  std::string site_text(SiteId id) const;
  std::string site_function(SiteId id) const;

  // Whether the trace is known to have no units. Said before the first event.
  bool has_no_units = false;

  StableVector<SetDeclaration> sets;
  StableVector<UnitDeclaration> units;

 private:
  std::array<NameTable, kSpaceCount> names_;
};

}  // namespace foretrace
