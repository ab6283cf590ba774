#include "hunting/steered_report.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "recording/mapped_file.h"
#include "steering/layout.h"

namespace foretrace {
namespace {

using steering::EntryHeader;
using steering::ReportHeader;
using Fields = std::vector<std::string_view>;

std::string_view field(const Fields& fields, size_t i) {
  return i < fields.size() ? fields[i] : std::string_view();
}
uint64_t decimal(std::string_view text) {
  return std::strtoull(std::string(text).c_str(), nullptr, 10);
}
uint64_t hexadecimal(std::string_view text) {
  return std::strtoull(std::string(text).c_str(), nullptr, 16);
}

// The runtime puts these in the place of tabs and ends of lines inside a field.
std::string with_line_ends(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '\x1f', '\n');
  std::replace(plain.begin(), plain.end(), '\x1e', '\t');
  return plain;
}

// "function\tfile:line:column\n", several times (runtime/site.h).
std::vector<CodeFrame> inlined_frames(std::string_view text) {
  std::vector<CodeFrame> frames;
  for (const std::string_view line : split(text, '\n')) {
    const size_t tab = line.find('\t');
    const size_t second = line.rfind(':');
    if (tab == std::string_view::npos || second == std::string_view::npos || second == 0) continue;
    const size_t first = line.rfind(':', second - 1);
    if (first == std::string_view::npos || first < tab) continue;
    frames.push_back({std::string(line.substr(tab + 1, first - tab - 1)),
                      static_cast<uint32_t>(decimal(line.substr(first + 1, second - first - 1))),
                      static_cast<uint32_t>(decimal(line.substr(second + 1))),
                      std::string(line.substr(0, tab))});
  }
  return frames;
}

RawPlace parse_place(const Fields& fields) {
  RawPlace place;
  place.known = true;
  if (fields[0] == "code") {
    place.is_code = true;
    place.module = field(fields, 1);
    place.offset = hexadecimal(field(fields, 2));
    place.bias = hexadecimal(field(fields, 3));
    place.key = fmt::format("@{}+{:x}", place.module, place.offset);
    return place;
  }
  const std::string file(field(fields, 1));
  place.key = fmt::format("{}:{}:{}", file, field(fields, 2), field(fields, 3));
  place.frame = {file.empty() ? file : std::filesystem::path(file).lexically_normal().string(),
                 static_cast<uint32_t>(decimal(field(fields, 2))),
                 static_cast<uint32_t>(decimal(field(fields, 3))), std::string(field(fields, 4))};
  place.what = field(fields, 5);
  place.module = field(fields, 6);
  place.inlined = inlined_frames(with_line_ends(field(fields, 7)));
  place.bias = hexadecimal(field(fields, 8));
  return place;
}

RawAccess parse_access(const Fields& fields) {
  RawAccess access;
  access.thread = field(fields, 1);
  access.write = field(fields, 2) == "write";
  access.address = hexadecimal(field(fields, 3));
  access.bytes = decimal(field(fields, 4));
  access.number = decimal(field(fields, 5));
  access.started_by = field(fields, 6);
  access.started_at = field(fields, 7);
  return access;
}

bool parse_first(const Fields& fields, RawEntry& entry) {
  const std::string_view word = fields[0];
  if (word == "race") {
    entry.kind = RawEntry::Kind::race;
  } else if (word == "deadlock") {
    entry.kind = RawEntry::Kind::deadlock;
  } else if (word == "shared") {
    entry.kind = RawEntry::Kind::shared;
  } else if (word == "visited") {
    entry.kind = RawEntry::Kind::visited;
  } else if (word == "sync") {
    entry.kind = RawEntry::Kind::sync;
  } else if (word == "pair") {
    entry.kind = RawEntry::Kind::pair;
    entry.unit = field(fields, 1);
  } else if (word == "step") {
    entry.kind = RawEntry::Kind::step;
    entry.step = static_cast<uint32_t>(decimal(field(fields, 1)));
    entry.missed = field(fields, 2) == "missed";
  } else if (word == "violation" || word == "seen") {
    entry.kind = word == "seen" ? RawEntry::Kind::seen : RawEntry::Kind::violation;
    entry.section = {std::string(field(fields, 1)), std::string(field(fields, 2)),
                     std::string(field(fields, 3)), std::string(field(fields, 4)),
                     std::string(field(fields, 5))};
  } else {
    return false;
  }
  return true;
}

RawEntry parse_entry(std::string_view text) {
  RawEntry entry;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const Fields fields = split(line, '\t');
    if (parse_first(fields, entry)) continue;
    if (fields[0] == "access") {
      entry.accesses.push_back(parse_access(fields));
    } else if (fields[0] == "frame" && !entry.accesses.empty()) {
      entry.accesses.back().frames.emplace_back(field(fields, 1), hexadecimal(field(fields, 2)));
    } else if (fields[0] == "place" || fields[0] == "code") {
      if (!entry.accesses.empty()) entry.accesses.back().place = parse_place(fields);
    }
  }
  return entry;
}

}  // namespace

Result<void> make_report_file(const std::string& path) {
  const std::optional<MappedFile> file = MappedFile::create(path, steering::kReportBytes);
  if (!file) return fail("cannot make {}: {}", path, std::strerror(errno));
  file->at<ReportHeader>(0)->version = steering::kReportVersion;
  return {};
}

Result<SteeredReport> read_report_file(const std::string& path) {
  const std::optional<MappedFile> file = MappedFile::open(path, steering::kReportBytes);
  if (!file) return fail("cannot read {}: {}", path, std::strerror(errno));
  const ReportHeader& header = *file->at<ReportHeader>(0);
  SteeredReport report;
  report.processes = header.processes;
  report.accesses = header.accesses;
  report.threads = header.threads;
  report.atomics = header.atomics;
  report.unwatched = header.unwatched;
  report.races = header.races;
  report.noises = header.noises;
  report.spent = header.spent;
  report.holds = header.holds;
  report.given_up = header.given_up;
  report.steps = header.steps;
  report.steps_left_out = header.steps_left_out;
  report.violations = header.violations;
  report.lost = header.lost;
  const uint64_t end =
      std::min<uint64_t>(sizeof(ReportHeader) + header.reserved, steering::kReportBytes);
  for (uint64_t at = sizeof(ReportHeader); at + sizeof(EntryHeader) <= end;) {
    const EntryHeader& entry = *file->at<EntryHeader>(at);
    // One that was not finished: the program was ended meanwhile.
    if (entry.complete.load(std::memory_order_acquire) == 0) break;
    report.entries.push_back(
        parse_entry({file->at<char>(at + sizeof(EntryHeader)), size_t{entry.bytes}}));
    at += (sizeof(EntryHeader) + entry.bytes + 7) & ~uint64_t{7};
  }
  return report;
}

std::string text_of(const CodeFrame& frame) {
  std::string text = frame.file;
  if (frame.line != 0) text += fmt::format(":{}", frame.line);
  if (frame.line != 0 && frame.column != 0) text += fmt::format(":{}", frame.column);
  return text;
}

const DebugInfo& PlaceResolver::info_of(const std::string& module) {
  std::unique_ptr<DebugInfo>& info = infos_[module];
  if (info == nullptr) info = std::make_unique<DebugInfo>(module);
  return *info;
}

const std::vector<CodeFrame>& PlaceResolver::frames_at(const std::string& module, uint64_t offset) {
  const auto [known, is_new] = frames_.try_emplace({module, offset});
  if (is_new && !module.empty()) known->second = info_of(module).frames(offset);
  return known->second;
}

// The innermost place that is to be shown; else the innermost.
CodeFrame PlaceResolver::shown(const RawPlace& place,
                               const std::vector<std::pair<std::string, uint64_t>>& frames) {
  std::vector<CodeFrame> all;
  if (place.is_code) {
    all = frames_at(place.module, place.offset);
  } else if (place.known) {
    all.push_back(place.frame);
  }
  for (const auto& [module, offset] : frames) {
    const std::vector<CodeFrame>& more = frames_at(module, offset);
    all.insert(all.end(), more.begin(), more.end());
  }
  for (const CodeFrame& frame : all) {
    if (!frame.file.empty() && is_to_be_shown(frame.file, frame.function)) return frame;
  }
  return all.empty() ? CodeFrame() : all.front();
}

std::string PlaceResolver::variable(const RawAccess& access) {
  if (!access.place.what.empty()) return access.place.what;
  if (!access.place.module.empty()) {
    const std::string global =
        info_of(access.place.module).variable(access.address - access.place.bias);
    if (!global.empty()) return global;
  }
  const std::string where = text_of(shown(access.place, access.frames));
  return where.empty() ? "memory" : "memory used at " + where;
}

FindingEvent PlaceResolver::event(const RawAccess& access) {
  FindingEvent event;
  event.index = access.number;
  event.thread = access.thread;
  event.op = access.write ? Op::wr : Op::rd;
  event.object = variable(access);
  event.held_known = false;
  const CodeFrame place = shown(access.place, access.frames);
  event.site = text_of(place);
  event.function = place.function;
  std::vector<CodeFrame> calls = access.place.inlined;
  for (const auto& [module, offset] : access.frames) {
    const std::vector<CodeFrame>& more = frames_at(module, offset);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  for (const CodeFrame& call : calls) {
    if (call.file.empty() || is_system_file(call.file) || text_of(call) == event.site) continue;
    event.calls.push_back({text_of(call), call.function});
  }
  if (!access.started_by.empty()) {
    std::string at = access.started_at;
    if (at.starts_with('@')) {
      const size_t plus = at.rfind('+');
      const std::vector<CodeFrame>& frames =
          frames_at(at.substr(1, plus - 1), hexadecimal(std::string_view(at).substr(plus + 1)));
      at = frames.empty() || is_system_file(frames.front().file) ? "" : text_of(frames.front());
    }
    event.thread_start = fmt::format("by {}{}", access.started_by, at.empty() ? "" : " at " + at);
  }
  return event;
}

Finding PlaceResolver::finding(const RawEntry& entry) {
  Finding finding;
  finding.analysis = "atomrace";
  finding.strength = Strength::observed;
  finding.detail = nlohmann::ordered_json::object();
  for (const RawAccess& access : entry.accesses) finding.events.push_back(event(access));
  if (entry.kind == RawEntry::Kind::deadlock) {
    finding.kind = "deadlock";
    finding.message = "these threads wait for each other's locks";
    finding.reason = "The program came to a stop here.";
    for (FindingEvent& acquire : finding.events) acquire.op = Op::acq;
    if (!finding.events.empty()) finding.lock = finding.events.front().object;
    return finding;
  }
  if (!finding.events.empty()) finding.variable = finding.events.front().object;
  if (entry.kind == RawEntry::Kind::violation) {
    finding.kind = "atomicity-violation";
    finding.labels = {fmt::format("{} at {}", entry.section.kind, entry.section.entry)};
    finding.message = "another thread came between the accesses of an atomic section";
    finding.reason = fmt::format("The section begins at {} and ends at {}.", entry.section.entry,
                                 entry.section.end);
    finding.detail["section"] = {
        {"kind", entry.section.kind},
        {"variable", entry.section.variable},
        {"entry", entry.section.entry},
        {"entry_access", entry.section.entry_access},
        {"end", entry.section.end},
        {"end_access", finding.events.back().op == Op::wr ? "write" : "read"}};
    return finding;
  }
  finding.kind = "data-race";
  finding.message = "two threads were at these accesses at the same time";
  finding.reason = "It happened: both threads were caught at their access at one moment.";
  return finding;
}

}  // namespace foretrace
