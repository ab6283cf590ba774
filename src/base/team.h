// A few threads that do the same kind of work at the same time, again and again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace foretrace {

// Each member has a thread, which stays; the first is the caller's own.
class Team {
 public:
  explicit Team(size_t members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Calls job(0), job(1) and so on, one for each member, and returns when all are done.
  // What one of them throws is thrown again.
  void run(const std::function<void(size_t member)>& job);

 private:
  void work(size_t member);
  void do_part(size_t member);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(size_t)>* job_ = nullptr;  // does not change during a round
  uint64_t round_ = 0;                                // guarded by mutex_, like all below
  size_t busy_ = 0;  // threads that have not yet done their part of the round
  bool ending_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace foretrace
