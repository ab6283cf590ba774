// The words that reporters share, so that a finding reads the same in every
// format. All of it is safe for one line of a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/groups.h"
#include "report/report.h"

namespace foretrace {

// "data-race" -> "data race".
std::string words(std::string kind);

// "reads", "acquires": what a thread does with the object.
std::string verb(Op op);

// "data race on x"; "possible atomicity violation of transfer, on balance".
std::string headline(const Finding& finding);

// "thread 1 writes x at event 3, bank.cpp:12 in deposit, holding no lock".
std::string event_sentence(const FindingEvent& event);

// What the search for a schedule came to, if it found none; else empty.
std::string decision_text(const Finding& finding);

// "12 more findings of it, in f, g (--all-pairs shows each)."; empty if no others are folded into
// it.
std::string folded_text(const Finding& finding);

// "a.tiddle: 15 events, 3 threads, 3 locations, 1 lock".
std::string trace_line(const Report& report);

// "1 certified, 2 predicted", strongest first.
std::string strengths_line(const std::vector<Finding>& findings);
// The same for errors: each has the strength of its leader.
std::string strengths_line(const std::vector<Finding>& findings, const std::vector<Group>& groups);

// One sentence for each thing that a reader must know about the whole: what was
// left undecided, what was left out, that it was interrupted.
std::vector<std::string> caveats(const Report& report);

}  // namespace foretrace
