// What some traces know of their run beside its events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event.h"
#include "trace/symbols.h"

namespace foretrace {

// To be asked once the trace has been read.
class RunFacts {
 public:
  virtual ~RunFacts() = default;

  struct Call {
    std::string site;  // as Symbols::site_text() writes it
    std::string function;
  };
  // The calls that led to an event, innermost first; empty if they are not known.
  virtual std::vector<Call> calls(ThreadId thread, uint64_t index, SiteId site) const = 0;
  // Who started a thread, and where: "by main at bank.cpp:20"; or "".
  virtual std::string start_of(ThreadId thread) const = 0;
  // The library (path) that a site's code is in; "" for the program itself.
  virtual std::string library_of(std::string_view site) const = 0;
  // Whether the trace has all synchronisation of the run. Else nothing is certain: what looks like
  // a race may be ordered by what is missing.
  virtual bool is_order_known() const = 0;
};

}  // namespace foretrace
