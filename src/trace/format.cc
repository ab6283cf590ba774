#include "trace/format.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

constexpr size_t kSniffBytes = 4096;
// A long comment or a long name may come first: so far is looked if need be.
constexpr size_t kLongestSniff = 4096 << 9;

std::vector<Format>& registry() {
  static std::vector<Format> formats;
  return formats;
}

std::string known_formats() {
  std::string list;
  for (const Format& format : formats()) {
    list += (list.empty() ? "" : ", ") + std::string(format.name);
  }
  return list;
}

Result<const Format*> recognise_window(const ByteReader& input, bool whole) {
  std::vector<const Format*> possible;
  for (const Format& format : formats()) {
    const Match match = format.match(input.window(), whole);
    if (match == Match::certain) return &format;
    if (match == Match::possible) possible.push_back(&format);
  }
  const Format* const by_name = format_of_file_name(input.name());
  if (std::find(possible.begin(), possible.end(), by_name) != possible.end()) return by_name;
  if (possible.size() == 1) return possible[0];
  return fail("{}: not a trace in a known format ({}); name it with --input-format if it is one",
              input.name(), known_formats());
}

Result<const Format*> recognise(ByteReader& input) {
  for (size_t bytes = kSniffBytes;; bytes *= 8) {
    const Result<bool> enough = input.want(bytes);
    if (!enough) return tl::unexpected(enough.error());
    Result<const Format*> format = recognise_window(input, !*enough);
    if (format || !*enough || bytes >= kLongestSniff) return format;
  }
}

}  // namespace

std::vector<std::string> TraceWriter::losses() const {
  static constexpr std::array<std::array<std::string_view, 2>, 5> kNames = {{
      {"value", "values"},
      {"site", "sites"},
      {"function name of a site", "function names of sites"},
      {"set or unit directive", "set or unit directives"},
      {"name that had to be changed", "names that had to be changed"},
  }};
  std::vector<std::string> losses;
  for (size_t op = 0; op < kOpCount; ++op) {
    if (lost_ops_[op] == 0) continue;
    const std::string noun = fmt::format("{} event", kOpTraits[op].name);
    losses.push_back(counted(lost_ops_[op], noun));
  }
  for (size_t kind = 0; kind < lost_.size(); ++kind) {
    if (lost_[kind] > 0) losses.push_back(counted(lost_[kind], kNames[kind][0], kNames[kind][1]));
  }
  return losses;
}

FormatRegistration::FormatRegistration(const Format& format) {
  std::vector<Format>& all = registry();
  const auto place =
      std::find_if(all.begin(), all.end(), [&](const Format& f) { return f.name > format.name; });
  all.insert(place, format);
}

const std::vector<Format>& formats() { return registry(); }

Result<const Format*> format_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (format.name == name) return &format;
    names.emplace_back(format.name);
  }
  return fail("'{}' is not a trace format ({}){}", printable(name), known_formats(),
              did_you_mean(name, names));
}

const Format* format_of_file_name(std::string_view path) {
  for (const std::string_view compression : {".gz", ".zst"}) {
    if (path.ends_with(compression)) path.remove_suffix(compression.size());
  }
  for (const Format& format : formats()) {
    if (path.ends_with(format.extension)) return &format;
  }
  return nullptr;
}

Result<std::unique_ptr<TraceReader>> open_trace(const std::string& path,
                                                std::string_view format_name) {
  Result<std::unique_ptr<ByteSource>> source = open_input(path);
  if (!source) return tl::unexpected(source.error());
  return open_trace(std::move(*source), format_name);
}

Result<std::unique_ptr<TraceReader>> open_trace(std::unique_ptr<ByteSource> source,
                                                std::string_view format_name) {
  ByteReader input(std::move(source));
  if (const Result<bool> some = input.want(1); !some) return tl::unexpected(some.error());
  if (input.window().empty()) return fail("{} is empty: there is no trace in it", input.name());
  const Result<const Format*> format =
      format_name.empty() ? recognise(input) : format_named(format_name);
  if (!format) return tl::unexpected(format.error());
  return (*format)->reader(std::move(input));
}

}  // namespace foretrace
