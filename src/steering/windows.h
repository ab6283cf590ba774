// AtomRace, Figure 2: Access(v) is set while a thread is at an access of v, and a
// data race is reported when two accesses are caught inside each other's window.
//
// A window is open while the thread is in the hook, which stands directly in front
// of a write and directly behind a read (in code of other compilers in front of
// both; of loops in front of or behind the whole loop, in which nothing
// synchronises). So when two windows are open at one moment, neither thread has
// synchronised between that moment and its access: no order of any kind can be
// between them, whatever the program synchronises with.
//
// A thread's slot says which window is open, and it alone decides. The cells of a
// hashed shadow, one for 16 bytes, say whose slot to look at. Everybody looks at its
// cell; whoever writes and finds it empty puts its slot there and clears it
// afterwards, and so does a reader that stays in its window (noise, holds). Readers
// that pass by only look: memory that is only read stays in all caches.
//
// Nothing is locked, nothing is allocated, and no instruction is an atomic exchange
// as long as nobody stays. Where two threads write a cell at once, or share one, a
// window may be overlooked; never is one seen that is not open. A thread that stays
// makes sure that it is seen: stay().
#pragma once

#include <algorithm>

#include "steering/slot.h"

namespace foretrace::steering {

inline constexpr uint32_t kGranuleShift = 4;
inline constexpr uint64_t kGranule = 1U << kGranuleShift;
inline constexpr uint64_t kCells = 1U << 16;
extern std::atomic<uint16_t> cells[kCells];  // a slot and one; 0: nobody
// Windows that are not in all of their cells: while there are any, everybody looks at
// all slots. One more if hooks have other things to do than to open windows: then
// nobody passes by.
extern std::atomic<uint32_t> attention;

inline std::atomic<uint16_t>& cell_of(uint64_t address) {
  const uint64_t granule = address >> kGranuleShift;
  return cells[(granule ^ granule >> 16) % kCells];
}

inline void describe_window(Slot& slot, uint64_t address, uint64_t bytes, bool write, SiteRef site,
                            uint64_t frame) {
  slot.address = address;
  slot.extent = bytes * 2 + (write ? 1 : 0);
  slot.site = site;
  slot.frame = frame;
}

// Such accesses are left out.
inline bool is_volatile(SiteRef site) {
  return !site.is_code() && site.is_known() && (site.site()->flags & runtime::kVolatileSite) != 0;
}

// The whole life of a window in which nothing is to be done, if it is in one cell and
// nobody else is near: a reader has done its part when it has looked. False if somebody
// may be: then nothing was done. Whether the access is volatile is looked at by those
// who find the window.
__attribute__((always_inline)) inline bool pass_by(uint64_t address, uint64_t bytes, bool write,
                                                   SiteRef site, uint64_t frame) {
  if (bytes > kGranule || address % kGranule > kGranule - bytes) return false;
  std::atomic<uint16_t>& cell = cell_of(address);
  Slot* const slot = self.idle;
  const uint64_t turns = slot->turns.load(std::memory_order_relaxed);
  if (attention.load(std::memory_order_relaxed) != 0 || cell.load(std::memory_order_acquire) != 0 ||
      turns % 2 != 0) {  // odd: of nobody, or this is a signal handler
    return false;
  }
  if (!write) {
    slot->count_look(address);
    return true;
  }
  describe_window(*slot, address, bytes, write, site, frame);
  slot->turns.store(turns + 1, std::memory_order_release);
  cell.store(self.mark, std::memory_order_release);
  cell.store(0, std::memory_order_release);
  slot->turns.store(turns + 2, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_release);  // the next details come behind this
  return true;
}

// The same of a window with several cells.
bool pass_by_several(uint64_t address, uint64_t bytes, bool write, SiteRef site, uint64_t frame);

// Hooks have nothing to do but to open windows.
void let_pass_by();

// A window in which the thread may stay.
class Window {
 public:
  Window(uint64_t address, uint64_t bytes, bool write, SiteRef site, uint64_t frame);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // The thread stays: from now on, whoever comes sees the window, and this thread
  // has seen all those who were there before.
  void stay();

 private:
  template <typename Body>
  void for_cells(const Body& body);
  void look_into_cells();
  void enter_cells();

  uint64_t address_;
  uint32_t mine_ = 0;   // a bit for each cell that has this window
  uint32_t count_ = 0;  // of its cells; 0: it is too long for cells
  bool stays_ = false;
  bool is_unseen_ = false;
};

// In a hook that is about to make the thread wait: at an access, its window is to
// be seen.
inline void stay_in_window() {
  if (self.window != nullptr) self.window->stay();
}

// In the child of fork(): the other threads are not there.
void forget_windows();

// Races on these bytes are meant.
void allow_races(uint64_t address, uint64_t bytes);

}  // namespace foretrace::steering
