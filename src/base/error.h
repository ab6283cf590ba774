// Errors are values up to the command line, where they become one sentence.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace foretrace {

// One sentence for the user: where (file, line or event), what is wrong, and,
// where it is not obvious, what to do about it. No trailing newline.
struct Error {
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

// fail("{}:{}: unknown operation '{}'", file, line, word)
template <typename... Args>
tl::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{fmt::format(format, std::forward<Args>(args)...)});
}

}  // namespace foretrace
