// What a recorded program and its recorder share: files in the session's
// folder, mapped by both. Because they are shared memory, whatever a thread has
// written is there for the recorder however the program ends.
//
//   session      SessionHeader; made by the recorder
//   p<K>         ProcessHeader of the K-th process of the session
//   n<K>         NamesHeader and names; one for each program image: a process
//                that came from fork() goes on with the names of its parent
//   p<K>.t<N>    RingHeader and records of thread N of process K
//
// docs/recording.md explains the protocol.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace foretrace::recording {

inline constexpr const char* kSessionVariable = "FORETRACE_SESSION";  // the folder's path
inline constexpr uint32_t kVersion = 11;

// What a record says. Records marked "stamped" below always have a stamp; an
// access has one where it clashes with a thread that it is not ordered with.
enum class Kind : uint8_t {
  none = 0,
  operand = 1,           // a second number for the record that follows
  read = 2,              // of `size` bytes; without a stamp it may name its stack
  write = 3,             //
  read_range = 4,        // of as many bytes as the upper half of `tail` says
  write_range = 5,       //
  lock = 6,              // stamped; the lock is held now
  lock_shared = 7,       // stamped; for reading
  unlock = 8,            // stamped; of whatever kind the lock is held
  cond_wait = 9,         // stamped; the address is the mutex, the operand the condition
  cond_signal = 10,      // stamped; the address is the condition
  cond_broadcast = 11,   //
  barrier = 12,          // stamped; arrival
  atomic_read = 13,      // stamped
  atomic_write = 14,     //
  atomic_update = 15,    // read and write in one
  thread_create = 16,    // stamped; the address is the new thread's number
  thread_join = 17,      // stamped; likewise
  alloc = 18,            // stamped if need be, then the operand is the number of bytes
  free = 19,             // stamped if need be, else it may name its stack; with a site: a
                         // write of all of the block
  unit_begin = 20,       // the address is the number of the label
  unit_end = 21,         // of the innermost unit
  stamp = 22,            // stamped; nothing but an order: what follows comes after it
  lock_gone = 23,        // a lock's life ends: its address may become another lock
  try_lock = 24,         // stamped; as lock, by a thread that would not have waited for ever
  try_lock_shared = 25,  //
  benign = 26,           // stamped; races on as many bytes as the operand says are meant
  atomic_set = 28,       // stamped; operands: the number of its label, and how many bytes
  stack = 27,            // the calls that led to what follows; the address is its number
  owner_died = 29,       // stamped; a lock's holder has ended with it
  relaxed_read = 30,     // stamped; of an atomic location, and orders nothing else
  relaxed_write = 31,    //
  relaxed_update = 32,   //
  fence = 33,            // the process has some: relaxed operations may order after all
  update = 34,           // never stamped: a read and a write of the same bytes at one site
  read_group = 35,       // never stamped: reads of some parts of what begins at the address; its
                         // site is the number of a group, which says which
  read_strided = 36,     // never stamped: of elements of `size` bytes, at equal distances
  write_strided = 37,    //
  update_pair = 38,      // never stamped: as an update, but the read and the write have sites of
                         // their own; its site is the number of a group of the two
};

// Whether a record of this kind, which need not be one, may say itself which stack led to it.
inline bool can_name_stack(uint8_t kind) {
  return kind == static_cast<uint8_t>(Kind::read) || kind == static_cast<uint8_t>(Kind::write) ||
         kind == static_cast<uint8_t>(Kind::update) ||
         kind == static_cast<uint8_t>(Kind::read_group) ||
         kind == static_cast<uint8_t>(Kind::update_pair);
}

// 16 bytes:
//   head  bits 0-47 the address, 48-55 the kind (bit 55: stamped), 56-63 the size
//   tail  bits 0-31 the site's number, 32-63 the stamp's lower half, or, in a range or an
//         allocation without stamp, its length, or in another access or a free() without
//         stamp the number of its stack (0: the one that was recorded last), or of elements how
//         many there are (bits 52-63) and how far from each other they begin
struct Record {
  uint64_t head;
  uint64_t tail;

  static constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;
  static constexpr uint64_t kStamped = uint64_t{1} << 55;
  // Of an address that is none: no program has one with this bit (edges.h).
  static constexpr uint64_t kEdge = uint64_t{1} << 47;

  static Record make(Kind kind, uint64_t address, uint32_t size, uint32_t site, uint32_t upper) {
    return {(address & kAddressMask) | static_cast<uint64_t>(kind) << 48 |
                static_cast<uint64_t>(size) << 56,
            site | static_cast<uint64_t>(upper) << 32};
  }
  uint64_t address() const { return head & kAddressMask; }
  Kind kind() const { return static_cast<Kind>(head >> 48 & 0x7F); }
  bool stamped() const { return (head & kStamped) != 0; }
  uint32_t size() const { return static_cast<uint32_t>(head >> 56); }
  uint32_t site() const { return static_cast<uint32_t>(tail); }
  uint32_t upper() const { return static_cast<uint32_t>(tail >> 32); }
  uint32_t elements() const { return static_cast<uint32_t>(tail >> 52); }
  uint32_t stride() const { return upper() & kMostStride; }
  // From the first byte of the first element to the last byte of the last one.
  uint64_t extent() const {
    return elements() == 0 ? 0 : uint64_t{stride()} * (elements() - 1) + size();
  }
  static constexpr uint64_t kMostRange = uint64_t{1} << 30;  // bytes of a range
  static constexpr uint32_t kMostElements = (1U << 12) - 1;
  static constexpr uint32_t kMostStride = (1U << 20) - 1;
  static uint32_t strided(uint64_t elements, uint64_t stride) {
    return static_cast<uint32_t>(elements << 20 | stride);
  }
  bool operator==(const Record&) const = default;
};
static_assert(sizeof(Record) == 16);

// How much an alloc record gives. Those without stamp had an operand too before version 8.
inline uint64_t allocated_bytes(const Record& alloc, uint64_t operand) {
  return alloc.stamped() || alloc.upper() == 0 ? operand : alloc.upper();
}

struct SessionHeader {
  uint32_t version;
  uint32_t ring_records;            // the size of a ring, a power of two
  int32_t recorder;                 // its process id: if it is gone, nobody reads
  std::atomic<uint32_t> closed;     // 1: record no more
  std::atomic<uint32_t> processes;  // how many have a number
  std::atomic<uint32_t> names;      // how many names files have one
  std::atomic<uint32_t> no_room;    // threads that there was no space for
};

struct ProcessHeader {
  std::atomic<uint32_t> ready;  // 1 once the rest is filled in
  int32_t pid;
  uint32_t names;                 // the number of its names file
  std::atomic<uint32_t> threads;  // how many have a number; the first is 0
  // Every stamp is taken by one record, so a reader that has seen 1 … n knows
  // all records up to there.
  alignas(64) std::atomic<uint64_t> next_stamp;
};

struct NamesHeader {
  std::atomic<uint64_t> used;        // bytes of entries, all of them complete
  std::atomic<uint32_t> next_site;   // numbers count from 1
  std::atomic<uint32_t> next_label;  //
  std::atomic<uint32_t> next_stack;  //
  std::atomic<uint32_t> next_group;  //
  std::atomic<uint32_t> lock;        // held by a thread that adds an entry
};
inline constexpr size_t kNamesBytes = size_t{64} << 20;  // a sparse file

// Entries follow the header. Each: a NameEntry, then its strings, each with a
// zero byte at its end, padded to a multiple of 8 bytes.
enum class NameKind : uint32_t {
  site = 1,    // file, function, what is accessed, the library ("" for the program), and
               // the calls that were inlined (site.h)
  label = 2,   // the label of a unit
  thread = 3,  // a thread's name; `number` is the thread, `line` the process
  // Code that was compiled with -fsanitize=thread: its file, and four hexadecimal
  // numbers: what to subtract from addresses to get those in the file, the start
  // and end of its memory, and the start of its code; `line` is its first number.
  module = 4,
  // A stack: that with the number `line` (0: none), and a call from the place with
  // the site's number `column`.
  stack = 5,
  // What a group reads: "offset bytes site " for each, in the order in which they are made.
  group = 6,
};
// The site's number of a place in a module: this bit, and the number of the
// module's first byte of code plus the place's distance from it.
inline constexpr uint32_t kCodeSite = 1U << 31;
// The number of a site with the calls that led there, instead of a record that says them: this
// bit, without the one above, and the number of a stack whose last "call" is the site.
inline constexpr uint32_t kPlacedSite = 1U << 30;
inline bool is_placed(uint32_t site) { return (site & (kCodeSite | kPlacedSite)) == kPlacedSite; }
struct NameEntry {
  uint32_t bytes;  // of the entry with its strings and padding
  NameKind kind;
  uint32_t number;
  uint32_t line;
  uint32_t column;
  uint32_t element;  // of a site: the size of an array's element, 0 if it is none
};

struct RingHeader {
  std::atomic<uint32_t> ready;  // 1 once the rest is filled in
  uint32_t capacity;            // in records, a power of two
  int32_t tid;
  std::atomic<uint32_t> ended;    // 1: the thread is over
  std::atomic<uint64_t> dropped;  // records of signal handlers that came at a bad moment
  alignas(64) std::atomic<uint64_t> written;  // records, ever; only the thread changes it
  // Likewise: those that the thread will not change any more. The last ones may still
  // become longer ranges, and are read only when the program is over.
  std::atomic<uint64_t> settled;
  alignas(64) std::atomic<uint64_t> read;  // records, ever; only the recorder changes it
};
inline constexpr size_t kRingHeaderBytes = 4096;
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);

// Whether stamp `a` is later than `b`. Stamps are compared by their lower
// halves, which is right as long as they are less than 2^31 apart.
inline bool is_later(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

}  // namespace foretrace::recording
