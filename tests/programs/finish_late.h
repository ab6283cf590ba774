// Two threads, of which one nearly always comes second.
#pragma once

#include <chrono>
#include <thread>

inline void finish_late(void (*fill)(), void (*finish)()) {
  std::thread filler(fill);
  std::thread finisher([finish] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    finish();
  });
  filler.join();
  finisher.join();
}
