// What every subcommand that reports findings does with them: leave out what the
// user does not want to see, write, and decide the exit status.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "findings/filter.h"
#include "report/report.h"

namespace foretrace {

struct OutputOptions {
  std::string format;        // empty: by the name of the output, or text
  std::string output = "-";  // empty: standard error
  std::string strength = "predicted";
  std::string fail_on = "predicted";
  std::string suppressions;
  bool no_built_in = false;  // suppressions
  std::string baseline;
  std::string finding;
};

// --format, --output, --strength, --fail-on, --suppress, --baseline and others.
void add_output_options(CLI::App& app, OutputOptions& options);

class ReportOutput {
 public:
  // Opens the trace once more, for the pictures; null where it cannot be had.
  using OpenAgain = std::function<Result<std::unique_ptr<TraceStream>>()>;

  // Checks the options and reads the files that they name.
  static Result<ReportOutput> prepare(const OutputOptions& options);

  // Who says which library a site is in; see Suppressions.
  void set_library_of(const Suppressions::LibraryOf& library_of);

  // Leaves out of the report's findings what the user does not want to see.
  void filter(Report& report);
  // Filters, draws what the format wants, writes.
  Result<void> write(Report& report, const OpenAgain& open_again);

  // Whether the exit status is to say that there are findings.
  bool fails(const Report& report) const;

 private:
  explicit ReportOutput(const OutputOptions& options) : options_(options) {}
  std::optional<Finding> filtered(Finding finding, Report& report);
  Result<void> draw(Report& report, const OpenAgain& open_again) const;
  Result<void> send(const Report& report) const;

  OutputOptions options_;
  const Reporter* reporter_ = nullptr;
  Strength least_ = Strength::predicted;
  Suppressions suppressions_;
  Suppressions built_in_;
  Baseline baseline_;
};

}  // namespace foretrace
