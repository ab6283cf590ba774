// A function that stands behind one of ours: the C library's, the C++ library's.
#pragma once

#include <atomic>

#include <dlfcn.h>

namespace foretrace::runtime {

// Looked up when first used, for a program may not have it. Threads that do so at once
// find the same. (A static variable with an initialiser would not do: this library is
// built without their locks, so that a second thread could see it still empty.)
class NextFunction {
 public:
  explicit constexpr NextFunction(const char* name, const char* version = nullptr)
      : name_(name), version_(version) {}

  template <typename Function>
  Function* get() {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      if (version_ != nullptr) found = ::dlvsym(RTLD_NEXT, name_, version_);
      if (found == nullptr) found = ::dlsym(RTLD_NEXT, name_);
      found_.store(found, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(found);
  }

 private:
  const char* name_;
  const char* version_;
  std::atomic<void*> found_{nullptr};
};

}  // namespace foretrace::runtime
