// One operation of one thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foretrace {

// Dense numbers that stand for names; see Symbols. Each namespace counts from 0.
using ThreadId = uint32_t;
using LocationId = uint32_t;
using LockId = uint32_t;
using SiteId = uint32_t;

inline constexpr SiteId kNoSite = 0;  // site 0 means "not known"

// The operations. The numbers are part of the .ftr format: append only.
enum class Op : uint8_t {
  skip = 0,        // keeps an index but means nothing: filtered, dropped or a mere mark
  rd = 1,          // read of a location
  wr = 2,          // write of a location
  acq = 3,         // acquire of a lock
  rel = 4,         // release of a lock
  racq = 5,        // acquire for reading (shared)
  rrel = 6,        // release of a lock held for reading
  fork = 7,        // start of the thread that is the object
  join = 8,        // wait for the end of the thread that is the object
  beg = 9,         // begin of a unit
  end = 10,        // end of a unit
  wait = 11,       // releases its lock; the thread's next event has it back
  notify = 12,     // wakes one waiter of a lock
  notifyall = 13,  // wakes all waiters of a lock
  vrd = 14,        // read of a volatile or atomic location
  vwr = 15,        // write of a volatile or atomic location
  vrmw = 16,       // atomic read-modify-write
  barrier = 17,    // arrival at a barrier; the thread's next event is after it opened
  alloc = 18,      // birth of an object
  free = 19,       // death of an object
  ard = 20,        // read of an atomic location that orders nothing: memory_order_relaxed
  awr = 21,        // write, likewise
  armw = 22,       // atomic read-modify-write, likewise
};
inline constexpr size_t kOpCount = 23;

// The namespaces that an event's object can belong to.
enum class Space : uint8_t { none, thread, location, lock, label, barrier, object };
inline constexpr size_t kSpaceCount = 7;

struct OpTraits {
  std::string_view name;  // as Tiddle, messages and JSON spell it
  Space space;
};

inline constexpr std::array<OpTraits, kOpCount> kOpTraits = {{
    {"skip", Space::none},    {"rd", Space::location},    {"wr", Space::location},
    {"acq", Space::lock},     {"rel", Space::lock},       {"racq", Space::lock},
    {"rrel", Space::lock},    {"fork", Space::thread},    {"join", Space::thread},
    {"beg", Space::label},    {"end", Space::label},      {"wait", Space::lock},
    {"notify", Space::lock},  {"notifyall", Space::lock}, {"vrd", Space::location},
    {"vwr", Space::location}, {"vrmw", Space::location},  {"barrier", Space::barrier},
    {"alloc", Space::object}, {"free", Space::object},    {"ard", Space::location},
    {"awr", Space::location}, {"armw", Space::location},
}};

constexpr std::string_view name_of(Op op) { return kOpTraits[static_cast<size_t>(op)].name; }
constexpr Space space_of(Op op) { return kOpTraits[static_cast<size_t>(op)].space; }
std::optional<Op> op_named(std::string_view name);

// The most threads a trace may have: an event gives its thread 24 bits.
inline constexpr uint32_t kMaxThreads = (1U << 24) - 1;

// 16 bytes. An event does not know its own index: that is its place.
struct Event {
  uint32_t thread : 24;
  uint32_t op_bits : 5;
  uint32_t has_value : 1;  // `value` holds the value read or written
  uint32_t big_value : 1;  // ... or, with has_value, the place of it in big_values
  uint32_t resumes : 1;    // first event of its thread after a wait or barrier; set by
                           // WellFormed, never read from a file
  uint32_t object;         // in space_of(op())
  SiteId site;
  int32_t value;

  Op op() const { return static_cast<Op>(op_bits); }
  void set_op(Op op) { op_bits = static_cast<uint32_t>(op) & 31U; }
};
static_assert(sizeof(Event) == 16);

// Puts an event together from whole words, which compilers do far better than
// from bit-fields. `thread` and `op` must be in range.
inline Event make_event(ThreadId thread, Op op, uint32_t object, SiteId site = kNoSite,
                        bool has_value = false) {
  const std::array<uint32_t, 4> words = {
      thread | static_cast<uint32_t>(op) << 24 | static_cast<uint32_t>(has_value) << 29, object,
      site, 0};
  return std::bit_cast<Event>(words);
}

// A plain access of a location.
constexpr bool is_access(Op op) { return op == Op::rd || op == Op::wr; }
// Of atomic locations, and orders nothing.
constexpr bool is_relaxed(Op op) { return op == Op::ard || op == Op::awr || op == Op::armw; }
// Whether it reads or writes a location, by whatever operation; a read-modify-write does both.
constexpr bool reads(Op op) {
  return op == Op::rd || op == Op::vrd || op == Op::vrmw || op == Op::ard || op == Op::armw;
}
constexpr bool writes(Op op) {
  return op == Op::wr || op == Op::vwr || op == Op::vrmw || op == Op::awr || op == Op::armw;
}
constexpr bool is_atomic(Op op) { return (reads(op) || writes(op)) && !is_access(op); }
// Whether two threads that do this to one location, in no order, race: one of them writes, and
// not both do it atomically.
constexpr bool clash(Op a, Op b) {
  return (writes(a) || writes(b)) && (is_access(a) || is_access(b));
}

}  // namespace foretrace
