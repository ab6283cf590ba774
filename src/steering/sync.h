// What interceptors do around synchronisation.
#pragma once

#include "steering/healing.h"
#include "steering/noise.h"
#include "steering/script.h"

namespace foretrace::steering {

// In front of a synchronisation: the place of the call, noise, the script.
class SyncPoint {
 public:
  explicit SyncPoint(const void* return_address);
  SiteRef site() const { return site_; }

 private:
  SiteRef site_;
};

// An atomic operation was made.
void pass_atomic(SiteRef site);

// While the thread may wait for something: a mutex, or anything else. Also ends
// when the thread is cancelled, as far as others need to know: it has ended then.
class Waiting {
 public:
  Waiting(uint64_t what, SiteRef site) : active_(self.slot != nullptr) {
    if (!active_) return;
    self.slot->waits_at = site;
    self.slot->waits_for.store(what, std::memory_order_seq_cst);
  }
  ~Waiting() {
    if (active_ && self.slot != nullptr) {
      self.slot->waits_for.store(0, std::memory_order_release);
    }
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  bool active_;
};

}  // namespace foretrace::steering
