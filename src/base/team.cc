#include "base/team.h"

#include <utility>

namespace foretrace {

Team::Team(size_t members) {
  for (size_t member = 1; member < members; ++member) {
    threads_.emplace_back([this, member] { work(member); });
  }
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(const std::function<void(size_t)>& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    busy_ = threads_.size();
    ++round_;
  }
  changed_.notify_all();
  do_part(0);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return busy_ == 0; });
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Team::work(size_t member) {
  for (uint64_t done = 0;; ++done) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ending_ || round_ > done; });
      if (round_ == done) return;
    }
    do_part(member);
    {
      const std::lock_guard lock(mutex_);
      --busy_;
    }
    changed_.notify_all();
  }
}

void Team::do_part(size_t member) {
  try {
    (*job_)(member);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

}  // namespace foretrace
