// One line of a Tiddle trace, and what can be wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "trace/event.h"

namespace foretrace {

// Views of the line's text.
struct TiddleLine {
  // Without the comment and the site; empty for a line that says nothing. The
  // first is the operation, or `set` or `unit`.
  std::vector<std::string_view> words;
  std::optional<Op> op;  // of an event; a directive has none
  std::optional<int64_t> value;
  std::string_view site;     // without the @
  std::string_view comment;  // with the #

  bool is_directive() const { return !words.empty() && !op; }
};

struct TiddleFault {
  std::string sentence;    // what is wrong: one sentence without the place
  std::string_view place;  // the part of the line; empty at the line's end
  std::string expected;    // what could stand there
};

// See docs/formats/tiddle.md.
tl::expected<TiddleLine, TiddleFault> parse_tiddle_line(std::string_view text);

// The line below its number, with a mark under `place`, which is a part of it,
// and `remark` behind the mark:
//    12 | acqq 1 l
//       | ^~~~ column 1: expected an operation
std::string tiddle_excerpt(std::string_view text, uint64_t number, std::string_view place,
                           std::string_view remark);

}  // namespace foretrace
