// A value that lies apart, so that what has it stays small. Copies are copies of the value.
#pragma once

#include <memory>
#include <utility>

namespace foretrace::lint {

template <typename T>
class Boxed {
 public:
  Boxed() : value_(std::make_unique<T>()) {}
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: as the value itself
  Boxed(const Boxed& other) : Boxed(*other) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed& operator=(Boxed&& other) noexcept = default;
  ~Boxed() = default;

  // Not of one that was moved from.
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace foretrace::lint
