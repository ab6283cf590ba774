// The part of a trace that a search looks at.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "order/model.h"

namespace foretrace {

// What a goal needs nearly always lies close to its events. So a search may be
// confined to events from some index on; what comes before is the past.
struct Window {
  enum class Past {
    kept,     // all of it happens first, in the order of the trace
    ignored,  // nothing in it binds what comes later
  };
  uint64_t first = 0;  // index
  Past past = Past::kept;

  // By thread, the place of its first step in the window.
  std::vector<uint32_t> begins(const Model& model) const;
};

// Which writes reads are to see: those that they saw in the trace, but for one
// read, if a goal asks for that.
class ReadsFrom {
 public:
  // `begins`: the first step of each thread that is not past.
  ReadsFrom(const Model& model, std::vector<uint32_t> begins)
      : model_(model), begins_(std::move(begins)) {}

  void redirect(Step read, Step writer) {
    redirected_ = read;
    its_writer_ = writer;
  }
  // The read that is to see another write; kNoStep if there is none.
  Step redirected() const { return redirected_; }

  // kNoStep is the initial value; also for steps that read nothing.
  Step writer_of(Step step) const {
    return step == redirected_ ? its_writer_ : model_.node(step).writer;
  }
  // The same, but a write of the past is the initial value of the window.
  Step writer_in_window(Step step) const {
    const Step writer = writer_of(step);
    return writer != kNoStep && is_past(writer) ? kNoStep : writer;
  }
  bool is_past(Step step) const { return step.place < begins_[step.thread]; }

 private:
  const Model& model_;
  const std::vector<uint32_t> begins_;
  Step redirected_ = kNoStep;
  Step its_writer_ = kNoStep;
};

}  // namespace foretrace
