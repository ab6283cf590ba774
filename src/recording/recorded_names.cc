#include "recording/recorded_names.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "recording/name_entries.h"

namespace foretrace {

using recording::NameEntry;
using recording::NameKind;

namespace {

// "function\tfile:line:column\n", several times (runtime/site.h).
std::vector<CodeFrame> inlined_frames(std::string_view text) {
  std::vector<CodeFrame> frames;
  for (const std::string_view line : split(text, '\n')) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    const size_t second = line.rfind(':');
    const size_t first = line.rfind(':', second - 1);
    if (first == std::string_view::npos || first < tab) continue;
    const auto number = [&](size_t from, size_t end) {
      return static_cast<uint32_t>(parse_integer(line.substr(from, end - from)).value_or(0));
    };
    frames.push_back({std::string(line.substr(tab + 1, first - tab - 1)), number(first + 1, second),
                      number(second + 1, line.size()), std::string(line.substr(0, tab))});
  }
  return frames;
}

}  // namespace

SiteId SiteInterner::intern(std::string_view file, uint32_t line, uint32_t column,
                            std::string_view function) {
  Site site;
  site.line = line;
  site.column = column;
  if (!file.empty()) {
    const std::string tidy = std::filesystem::path(file).lexically_normal().string();
    site.file = files_.intern(tidy) + 1;
  }
  if (!function.empty()) site.function = functions_.intern(function) + 1;
  if (site == Site()) return kNoSite;
  const auto [known, is_new] = sites_.try_emplace(site, symbols_.sites.size());
  if (is_new) symbols_.sites.push_back(site);
  return known->second;
}

SiteId SiteInterner::intern(SiteId place, const std::vector<CodeFrame>& inlined) {
  if (inlined.empty()) return place;
  const auto [known, is_new] = inlined_.try_emplace({place, inlined}, symbols_.sites.size());
  if (is_new) symbols_.sites.push_back(symbols_.sites[place]);
  return known->second;
}

void RecordedNames::add(std::string_view entries) {
  bytes_ += entries.size();
  for_each_name(entries,
                [this](const NameEntry& entry, const char* text) { add_entry(entry, text); });
}

void RecordedNames::add_entry(const NameEntry& entry, const char* text) {
  const std::string first = text;
  if (entry.kind == NameKind::label) {
    labels_[entry.number] = first;
  } else if (entry.kind == NameKind::thread) {
    threads_[{entry.line, entry.number}] = first;
  } else if (entry.kind == NameKind::stack) {
    stacks_->add(entry.number, entry.line, entry.column);
  } else if (entry.kind == NameKind::module) {
    stacks_->modules().add(entry.line, first, text + first.size() + 1);
  } else if (entry.kind == NameKind::site) {
    text += first.size() + 1;
    const std::string function = text;
    text += function.size() + 1;
    if (entry.number >= by_number_.size()) by_number_.resize(entry.number + 1);
    RecordedSite& site = by_number_[entry.number];
    site = {sites_.intern(first, entry.line, entry.column, function),
            !is_to_be_shown(first, function), text, entry.element};
    text += site.what.size() + 1;
    const std::string library = text;
    note_inlined(site, inlined_frames(text + library.size() + 1));
    if (!library.empty()) notes_.libraries[site.site] = library;
  }
}

// The innermost frame that is to be shown; else the innermost.
const RecordedSite& RecordedNames::code_site(uint32_t number) {
  std::unique_ptr<RecordedSite>& known = code_sites_[number];
  if (known != nullptr) return *known;
  known = std::make_unique<RecordedSite>();
  const std::vector<CodeFrame>& frames = stacks_->modules().frames(number & ~recording::kCodeSite);
  const auto shown = std::find_if(frames.begin(), frames.end(), [](const CodeFrame& frame) {
    return is_to_be_shown(frame.file, frame.function);
  });
  if (frames.empty()) return *known;
  known->is_system = shown == frames.end();
  known->site = intern(known->is_system ? frames.front() : *shown);
  if (!known->is_system) note_inlined(*known, {shown + 1, frames.end()});
  notes_.libraries[known->site] = stacks_->modules().path(number & ~recording::kCodeSite);
  return *known;
}

// `inlined` are the calls that brought the site to where it is.
void RecordedNames::note_inlined(RecordedSite& site, std::vector<CodeFrame> inlined) {
  std::erase_if(inlined, [](const CodeFrame& frame) { return is_system_file(frame.file); });
  site.site = sites_.intern(site.site, inlined);
  if (!inlined.empty()) notes_.inlined[site.site] = std::move(inlined);
}

SiteId RecordedNames::outer_site(uint32_t number, uint32_t stack) {
  const uint64_t key = uint64_t{stack} << 32 | number;
  const auto known = outer_sites_.find(key);
  if (known != outer_sites_.end()) return known->second;
  SiteId found = kNoSite;
  for (uint32_t at = stack; at != 0 && found == kNoSite; at = stacks_->parent(at)) {
    found = outer_place(stacks_->place(at));
  }
  if (found == kNoSite) found = site(number).site;
  outer_sites_[key] = found;
  return found;
}

SiteId RecordedNames::outer_place(uint32_t place) {
  const auto [known, is_new] = outer_places_.try_emplace(place, kNoSite);
  if (!is_new) return known->second;
  for (const CodeFrame& frame : stacks_->modules().frames(place)) {
    if (frame.file.empty() || is_system_file(frame.file)) continue;
    known.value() = intern(frame);
    break;
  }
  return known->second;
}

std::string RecordedNames::label(uint32_t number) {
  const auto found = labels_.find(number);
  return found != labels_.end() ? found->second : "unit";
}

std::string RecordedNames::thread(uint32_t process, uint32_t thread) {
  const auto found = threads_.find({process, thread});
  return found != threads_.end() ? found->second : "";
}

}  // namespace foretrace
