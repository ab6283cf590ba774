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
// A window is a word: whose it is, whether it writes, which bytes of 16, and a
// number that makes it unique. The word is in the thread's slot while the window
// is open, and in the cell of the shadow for these 16 bytes. Cells may be stale or
// shared by other addresses: the slot decides. Nothing is locked or allocated.
#pragma once

#include "steering/slot.h"

namespace foretrace::steering {

class Window {
 public:
  Window(uint64_t address, uint64_t bytes, bool write, SiteRef site);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

 private:
  void open_cell(uint64_t address);
  void open_range();

  uint64_t word_;
  uint64_t displaced_ = 0;  // a window that was in the cell and is still open
  std::atomic<uint64_t>* cell_ = nullptr;
};

// In the child of fork(): the other threads are not there.
void forget_windows();

// Races on these bytes are meant.
void allow_races(uint64_t address, uint64_t bytes);

}  // namespace foretrace::steering
