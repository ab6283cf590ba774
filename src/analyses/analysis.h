// The interface of analyses. Each lives in a folder of its own below this one
// and registers itself with an AnalysisRegistration.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/candidate.h"
#include "base/error.h"
#include "trace/batch.h"
#include "trace/symbols.h"

namespace foretrace {

// An option that an analysis takes. Analyses may share one: then all of them
// declare it in the same words.
struct AnalysisOption {
  std::string_view name;           // "all-pairs", without the dashes
  std::string_view value_name;     // "N"; empty for a flag and for a choice
  std::string_view default_value;  // "1000000"; empty for a flag
  std::string_view help;
  std::span<const std::string_view> choices = {};  // the values, if they are words, not counts
};

// The options as the user set them.
class AnalysisSettings {
 public:
  void set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
  bool flag(const AnalysisOption& option) const;
  // A count as parse_count() reads it; the default if it was not set.
  uint64_t count(const AnalysisOption& option) const;
  // One of its choices; the default if it was not set.
  std::string_view choice(const AnalysisOption& option) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct AnalysisContext {
  const Symbols& symbols;
  const AnalysisSettings& settings;
  std::function<void(Candidate)> propose;
};

// A figure about a run, such as a column of a paper's table.
struct Figure {
  std::string name;
  nlohmann::ordered_json value;  // for scripts
  std::string text;              // for people
};

// Sees a well-formed trace (see WellFormed) once, in batches. Used by one thread.
class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual void process(const EventBatch& batch) = 0;
  // The trace is over: propose what was held back.
  virtual void finish() {}
  // How often the trace was gone through.
  virtual uint64_t passes() const { return 1; }
  // What the user should know about the result: what was left undecided, say.
  virtual std::vector<std::string> notes() const { return {}; }
  // Figures that belong into the report, because the user asked for them or
  // because findings are counted by them.
  virtual std::vector<Figure> figures() const { return {}; }
};

struct AnalysisInfo {
  std::string_view name;
  std::string_view summary;  // one line
  std::vector<AnalysisOption> options;
  // Its candidates are worth nothing until they are decided, for which the whole
  // trace must be kept in memory.
  bool needs_deciding = false;
  // What it proposes does not depend on locations whose clashing accesses are all in
  // the same order in every correct reordering (recording/hard_order.h): a reader
  // may leave them out.
  bool ignores_ordered_accesses = false;
  // It proposes nothing but races: batches without any (EventBatch::may_race) are not for it.
  bool only_races = false;
  std::unique_ptr<Analysis> (*create)(AnalysisContext context);
};

// A static object of this type in an analysis's file makes the analysis known.
struct AnalysisRegistration {
  explicit AnalysisRegistration(const AnalysisInfo& info);
};

// All analyses, by name.
const std::vector<AnalysisInfo>& analyses();
// The named analysis, or an error with a "did you mean".
Result<const AnalysisInfo*> analysis_named(std::string_view name);

}  // namespace foretrace
