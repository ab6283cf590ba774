#include "recording/part_pages.h"

#include <algorithm>

namespace foretrace {

using recording::Kind;
using recording::Record;

void PartPages::note(uint64_t address, uint64_t bytes) {
  const Pages pages = {address / kSurveyPage,
                       (address + std::max<uint64_t>(bytes, 1) - 1) / kSurveyPage};
  if (pages.first == pages.last) {
    uint64_t& recent = recent_[pages.first % kRecent];
    if (recent == pages.first) return;
    recent = pages.first;
  }
  pages_.push_back(pages);
}

void PartPages::add(const RecordingFile::Part& part, std::span<const Record> records) {
  if (part.first_stamp != 0) return;
  if (parts_.empty() || parts_.back().part != &part) {
    parts_.push_back({&part, true, kNoStack, pages_.size()});
    recent_.fill(UINT64_MAX);
  }
  Known& known = parts_.back();
  for (const Record& record : records) {
    switch (record.kind()) {
      case Kind::read:
      case Kind::write:
      case Kind::update:
        note(record.address(), record.size());
        break;
      case Kind::read_range:
      case Kind::write_range:
        note(record.address(), record.upper());
        break;
      case Kind::read_strided:
      case Kind::write_strided:
        note(record.address(), record.extent());
        break;
      case Kind::stack:
        known.stack = static_cast<uint32_t>(record.address());
        break;
      default:
        known.only_accesses = false;
    }
  }
}

UnneededParts PartPages::unneeded(const std::vector<MemoryPiece>& pieces) const {
  std::vector<uint64_t> matter;
  for (const MemoryPiece& piece : pieces) {
    const uint64_t page = piece.address / kSurveyPage;
    if (matter.empty() || matter.back() != page) matter.push_back(page);
  }
  std::sort(matter.begin(), matter.end());
  const auto matters = [&](const Pages& pages) {
    const auto next = std::lower_bound(matter.begin(), matter.end(), pages.first);
    return next != matter.end() && *next <= pages.last;
  };
  UnneededParts found;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].only_accesses) continue;
    const size_t end = i + 1 < parts_.size() ? parts_[i + 1].first_page : pages_.size();
    const std::span<const Pages> pages(pages_.data() + parts_[i].first_page, pages_.data() + end);
    if (std::none_of(pages.begin(), pages.end(), matters)) {
      found.emplace(parts_[i].part, parts_[i].stack);
    }
  }
  return found;
}

}  // namespace foretrace
