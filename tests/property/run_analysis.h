// Runs analyses on whole traces, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyses/analysis.h"
#include "trace/stream.h"

namespace foretrace::testing {

// What the analysis proposes. `batch_size` 0 hands it the trace as one batch.
// `flags` are options: "all-pairs", or with a value "sets=all". `notes`: what it says.
std::vector<Candidate> run_analysis(std::string_view name, const Trace& trace,
                                    size_t batch_size = 0,
                                    const std::vector<std::string>& flags = {},
                                    std::vector<std::string>* notes = nullptr);

}  // namespace foretrace::testing
