#include "cli/kept_report.h"

#include <filesystem>
#include <utility>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include "report/read_report.h"

namespace foretrace {
namespace {

// One file for each request, which the next content replaces.
std::string file_of(const std::string& cache, const ReportKey& key) {
  return (std::filesystem::path(cache) /
          fmt::format("{:016x}.report.json", XXH3_64bits(key.request.data(), key.request.size())))
      .string();
}

std::string text_of(const ReportKey& key) { return fmt::format("{:016x}", key.content); }

}  // namespace

std::optional<Report> kept_report(const std::string& cache, const ReportKey& key) {
  const std::string file = file_of(cache, key);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  Result<Report> report = read_report(file);
  // The key stands where reports of traces name their file.
  if (!report || report->trace_file != text_of(key)) return std::nullopt;
  report->trace_file.clear();
  return std::move(*report);
}

void keep_report(const std::string& cache, const ReportKey& key, Report& report) {
  const Result<const Reporter*> json = reporter_named("json");
  const Result<std::unique_ptr<ByteSink>> file = open_output(file_of(cache, key));
  if (!json || !file) return;
  const std::string before = std::exchange(report.trace_file, text_of(key));
  (*json)->write(report, {}, **file);
  report.trace_file = before;
  static_cast<void>((*file)->close());
}

}  // namespace foretrace
