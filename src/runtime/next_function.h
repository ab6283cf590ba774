// A function that stands behind one of ours: the C library's, the C++ library's.
#pragma once

#include <atomic>

#include <dlfcn.h>

namespace foretrace::runtime {

// Looked up before main: in the middle of the program, dlsym() would take away what its own
// dlerror() has to say. What is not there then, for its library is loaded later, is looked up
// when first used. Threads that do so at once find the same. (A static variable with an
// initialiser would not do: this library is built without their locks, so that a second thread
// could see it still empty.)
class NextFunction {
 public:
  explicit constexpr NextFunction(const char* name, const char* version = nullptr)
      : name_(name), version_(version) {}

  template <typename Function>
  Function* get() {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) found = look_up();
    return reinterpret_cast<Function*>(found);
  }
  void* look_up() {
    void* found = nullptr;
    if (version_ != nullptr) found = ::dlvsym(RTLD_NEXT, name_, version_);
    if (found == nullptr) found = ::dlsym(RTLD_NEXT, name_);
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

 private:
  const char* name_;
  const char* version_;
  std::atomic<void*> found_{nullptr};
};

}  // namespace foretrace::runtime

// A variable in a function of ours: FORETRACE_NEXT_FUNCTION(next, "malloc"). All of them are in
// one list, which the linker makes.
#define FORETRACE_NEXT_FUNCTION(variable, ...)                                                 \
  static constinit foretrace::runtime::NextFunction variable(__VA_ARGS__);                     \
  __attribute__((section("foretrace_next_functions"), used)) static auto* variable##_in_list = \
      &variable

// The same as something to call: FORETRACE_BEHIND(throw_it, __cxa_throw, void(void*)). In a static
// program the linker knows it.
#ifdef FORETRACE_STATIC
#define FORETRACE_BEHIND(variable, name, ...) \
  using variable##_type = __VA_ARGS__;        \
  extern variable##_type variable __asm__("__real_" #name)
#else
#define FORETRACE_BEHIND(variable, name, ...)      \
  FORETRACE_NEXT_FUNCTION(variable##_next, #name); \
  auto* const variable = variable##_next.get<__VA_ARGS__>()
#endif
