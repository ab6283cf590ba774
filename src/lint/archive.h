// Summaries as bytes, for the cache and between the processes that make them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "lint/summary.h"

namespace foretrace::lint {

// Changes whenever a summary's content or meaning does: older files are made anew.
inline constexpr uint32_t kSummaryVersion = 6;

std::string to_bytes(const Summary& summary);
// Fails on anything but what to_bytes() of this version made; the checksum says so.
Result<Summary> summary_from_bytes(std::string_view bytes);
// Only what it was made of and what Clang said: main_file, inputs and errors.
Result<Summary> summary_head(std::string_view bytes);

}  // namespace foretrace::lint
