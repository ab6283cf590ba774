#include "recording/read_groups.h"

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
    const Record& record = grouped_[next_];
    if (record.kind() != Kind::read_group) {
      records[count++] = record;
      ++next_;
      continue;
    }
    const std::vector<ReadGroups::Member>& members = groups_.members(record.site());
    is_damaged_ = members.empty();
    for (; next_member_ < members.size() && count < records.size(); ++next_member_) {
      const ReadGroups::Member& member = members[next_member_];
      records[count++] = Record::make(Kind::read, record.address() + member.offset, member.bytes,
                                      member.site, record.upper());
    }
    if (next_member_ < members.size()) break;
    next_member_ = 0;
    ++next_;
  }
  return count;
}

}  // namespace foretrace
