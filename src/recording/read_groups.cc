#include "recording/read_groups.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "recording/name_entries.h"

namespace foretrace {

using recording::Kind;
using recording::NameEntry;
using recording::NameKind;
using recording::Record;

namespace {

// "offset bytes site " for each member; none if it is anything else, or what no group has.
std::vector<ReadGroups::Member> parse_members(std::string_view text) {
  std::vector<uint32_t> numbers;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::optional<int64_t> number = parse_integer(word);
    if (!number || *number < 0 || *number > UINT32_MAX) return {};
    numbers.push_back(static_cast<uint32_t>(*number));
  }
  if (numbers.size() % 3 != 0) return {};
  std::vector<ReadGroups::Member> members;
  for (size_t i = 0; i < numbers.size(); i += 3) {
    constexpr uint32_t kMostBytes = 64;
    const ReadGroups::Member member = {numbers[i], numbers[i + 1], numbers[i + 2]};
    if (member.bytes == 0 || member.bytes > kMostBytes || member.offset > kMostBytes ||
        members.size() == kMostBytes) {
      return {};
    }
    members.push_back(member);
  }
  return members;
}

}  // namespace

void ReadGroups::add(std::string_view entries) {
  for_each_name(entries, [this](const NameEntry& entry, const char* text) {
    if (entry.kind != NameKind::group) return;
    if (entry.number == groups_.size()) groups_.push_back(parse_members(text));
  });
}

const std::vector<ReadGroups::Member>& ReadGroups::members(uint32_t number) const {
  return groups_[number < groups_.size() ? number : 0];
}

bool UngroupedRecords::look() {
  if (next_ < count_) return true;
  next_ = 0;
  count_ = source_->read(grouped_);
  return count_ > 0;
}

size_t UngroupedRecords::read(std::span<Record> records) {
  size_t count = 0;
  while (count < records.size() && !is_damaged_ && look()) {
    const std::span<const Record> here =
        std::span(grouped_).subspan(next_, std::min(count_ - next_, records.size() - count));
    const auto group = std::find_if(here.begin(), here.end(), [](const Record& record) {
      return record.kind() == Kind::read_group || record.kind() == Kind::update_pair;
    });
    std::copy(here.begin(), group, records.begin() + static_cast<std::ptrdiff_t>(count));
    const auto copied = static_cast<size_t>(group - here.begin());
    next_ += copied;
    count += copied;
    if (group != here.end()) count += read_members(*group, records.subspan(count));
  }
  return count;
}

// As many as there is space for. What is left of them comes first the next time.
size_t UngroupedRecords::read_members(const Record& group, std::span<Record> records) {
  const std::vector<ReadGroups::Member>& members = groups_.members(group.site());
  const bool is_pair = group.kind() == Kind::update_pair;
  is_damaged_ = members.empty() || (is_pair && members.size() != 2);
  if (is_damaged_) return 0;
  const size_t count = std::min(members.size() - next_member_, records.size());
  for (size_t i = 0; i < count; ++i) {
    const ReadGroups::Member& member = members[next_member_ + i];
    const Kind kind = is_pair && next_member_ + i == 1 ? Kind::write : Kind::read;
    // Pairs side by side are one record.
    const uint32_t bytes = is_pair ? group.size() : member.bytes;
    records[i] =
        Record::make(kind, group.address() + member.offset, bytes, member.site, group.upper());
  }
  next_member_ += count;
  if (next_member_ == members.size()) {
    next_member_ = 0;
    ++next_;
  }
  return count;
}

}  // namespace foretrace
