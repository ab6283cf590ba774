#include "recording/recorded_facts.h"

#include <fmt/format.h>

namespace foretrace {
namespace {

RunFacts::Call call_of(const CodeFrame& frame) {
  std::string site = frame.file;
  if (frame.line != 0) site += fmt::format(":{}", frame.line);
  if (frame.line != 0 && frame.column != 0) site += fmt::format(":{}", frame.column);
  return {site, frame.function};
}

}  // namespace

std::vector<RunFacts::Call> RecordedFacts::calls(ThreadId thread, uint64_t index,
                                                 SiteId site) const {
  std::vector<Call> calls;
  if (const auto inlined = notes_.inlined.find(site); inlined != notes_.inlined.end()) {
    for (const CodeFrame& frame : inlined->second) calls.push_back(call_of(frame));
  }
  for (const CodeFrame& frame : log_.stacks.frames_at(thread, index)) {
    if (!is_system_file(frame.file)) calls.push_back(call_of(frame));
  }
  return calls;
}

std::string RecordedFacts::start_of(ThreadId thread) const {
  const auto start = log_.starts.find(thread);
  if (start == log_.starts.end()) return "";
  const std::string site = symbols_->site_text(start->second.site);
  return fmt::format("by {}{}", symbols_->thread(start->second.by),
                     site.empty() ? "" : " at " + site);
}

std::string RecordedFacts::library_of(std::string_view site) const {
  if (libraries_.empty()) {
    for (const auto& [id, library] : notes_.libraries) {
      libraries_[symbols_->site_text(id)] = library;
    }
  }
  const auto found = libraries_.find(site);
  return found != libraries_.end() ? found->second : "";
}

}  // namespace foretrace
