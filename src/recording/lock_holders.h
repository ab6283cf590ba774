// Which locks the threads of a process hold while its records are surveyed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace foretrace {

// A lock has a number for as long as it lives: what is at its address after that is another.
using LockNumber = uint32_t;
// What all atomic operations on some memory hold, as it were: they exclude each other.
inline constexpr LockNumber kAtomicity = 2;

struct HeldNumber {
  LockNumber lock;
  bool shared;
};

// Follows the records of locks as ProcessEvents does, in less detail: where it would leave a
// record out or correct it, nothing is sure from then on.
class LockHolders {
 public:
  void acquire(uint32_t thread, uint64_t address, bool shared);
  void release(uint32_t thread, uint64_t address);
  void wait(uint32_t thread, uint64_t address);
  // A robust mutex, given back by the kernel.
  void end_owner(uint64_t address);
  // The thread is joined: it holds nothing any more.
  void end_thread(uint32_t thread);
  // What was at these addresses is over.
  void forget(uint64_t address, uint64_t bytes);

  std::span<const HeldNumber> held(uint32_t thread) const {
    return thread < threads_.size() ? threads_[thread].numbers : std::span<const HeldNumber>();
  }
  // Whether every thread held all that held() said.
  bool is_sure() const { return sure_; }

 private:
  struct Lock {
    LockNumber number;
    uint32_t owner_depth = 0;  // of the exclusive holder
    uint32_t readers = 0;
  };
  struct Place {
    uint64_t address;
    uint32_t depth;
  };
  struct Thread {
    std::vector<HeldNumber> numbers;  // and side by side with them:
    std::vector<Place> places;
    std::optional<uint64_t> waits_for;  // the address of the mutex

    size_t find(uint64_t address) const;  // the last one; their number if there is none
    void erase(size_t place);
  };
  Thread& at(uint32_t thread) {
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    return threads_[thread];
  }
  void release(Thread& thread, size_t place);
  Lock* find_lock(uint64_t address);
  Lock& lock_at(uint64_t address);

  std::vector<Thread> threads_;
  std::map<uint64_t, Lock> locks_;  // by address
  struct Recent {
    uint64_t address = UINT64_MAX;
    Lock* lock = nullptr;
  };
  static constexpr uint32_t kRecentBits = 8;
  std::array<Recent, size_t{1} << kRecentBits> recent_;
  LockNumber last_ = kAtomicity;
  bool sure_ = true;
};

}  // namespace foretrace
