#include "recording/recorded_names.h"

#include <algorithm>
#include <filesystem>

namespace foretrace {

using recording::NameEntry;
using recording::NameKind;
using recording::NamesHeader;

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

void RecordedNames::read_new() {
  const uint64_t used = file_.at<NamesHeader>(0)->used.load(std::memory_order_acquire);
  while (read_ < used) {
    const char* const place = file_.at<char>(sizeof(NamesHeader) + read_);
    NameEntry entry;
    std::memcpy(&entry, place, sizeof entry);
    if (entry.bytes == 0) return;
    read_entry(entry, place + sizeof entry);
    read_ += entry.bytes;
  }
}

void RecordedNames::read_entry(const NameEntry& entry, const char* text) {
  const std::string first = text;
  if (entry.kind == NameKind::label) {
    labels_[entry.number] = first;
  } else if (entry.kind == NameKind::thread) {
    threads_[{entry.line, entry.number}] = first;
  } else if (entry.kind == NameKind::module) {
    modules_.add(entry.line, first, text + first.size() + 1);
  } else if (entry.kind == NameKind::site) {
    text += first.size() + 1;
    const std::string function = text;
    text += function.size() + 1;
    if (entry.number >= by_number_.size()) by_number_.resize(entry.number + 1);
    RecordedSite& site = by_number_[entry.number];
    site = {sites_.intern(first, entry.line, entry.column, function), text, entry.element};
    text += site.what.size() + 1;
    if (*text != '\0') libraries_[site.site] = text;
  }
}

// The innermost frame that is no system header; else the innermost.
const RecordedSite& RecordedNames::code_site(uint32_t number) {
  std::unique_ptr<RecordedSite>& known = code_sites_[number];
  if (known != nullptr) return *known;
  known = std::make_unique<RecordedSite>();
  read_new();
  const std::vector<CodeFrame> frames = modules_.frames(number & ~recording::kCodeSite);
  const auto shown = std::find_if(frames.begin(), frames.end(), [](const CodeFrame& frame) {
    return !is_system_file(frame.file);
  });
  if (!frames.empty()) {
    const CodeFrame& frame = shown != frames.end() ? *shown : frames.front();
    known->site = sites_.intern(frame.file, frame.line, frame.column, frame.function);
    libraries_[known->site] = modules_.path(number & ~recording::kCodeSite);
  }
  return *known;
}

std::string RecordedNames::label(uint32_t number) {
  if (!labels_.contains(number)) read_new();
  const auto found = labels_.find(number);
  return found != labels_.end() ? found->second : "unit";
}

std::string RecordedNames::thread(uint32_t process, uint32_t thread) {
  read_new();
  const auto found = threads_.find({process, thread});
  return found != threads_.end() ? found->second : "";
}

}  // namespace foretrace
