// What a recording knows of its run beside the events: call stacks, where threads were
// started, the libraries that sites are in.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "recording/process_events.h"
#include "recording/recorded_names.h"
#include "trace/run_facts.h"

namespace foretrace {

// The reader of the recording fills it in.
class RecordedFacts : public RunFacts {
 public:
  explicit RecordedFacts(std::shared_ptr<const Symbols> symbols) : symbols_(std::move(symbols)) {}

  SiteNotes& notes() { return notes_; }
  RunLog& log() { return log_; }
  void note_missing_order() { is_order_known_ = false; }

  std::vector<Call> calls(ThreadId thread, uint64_t index, SiteId site) const override;
  std::string start_of(ThreadId thread) const override;
  std::string library_of(std::string_view site) const override;
  bool is_order_known() const override { return is_order_known_; }

 private:
  const std::shared_ptr<const Symbols> symbols_;
  SiteNotes notes_;
  RunLog log_;
  bool is_order_known_ = true;
  // By the text of a site; made when it is asked for first.
  mutable std::map<std::string, std::string, std::less<>> libraries_;
};

}  // namespace foretrace
