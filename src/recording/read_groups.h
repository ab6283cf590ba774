// Records of accesses that a program's runtime recorded together, one by one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "recording/record_codec.h"

namespace foretrace {

// What the groups of a program image read, or read and write.
class ReadGroups {
 public:
  // Entries as the runtime wrote them; others than those of groups are passed over.
  void add(std::string_view entries);
  bool empty() const { return groups_.size() == 1; }

  struct Member {
    uint32_t offset;  // from the address of the record
    uint32_t bytes;
    uint32_t site;
  };
  // Of the group with this number; none if it is not known.
  const std::vector<Member>& members(uint32_t number) const;

 private:
  // By number; they come in this order, and none has the first.
  std::vector<std::vector<Member>> groups_ = std::vector<std::vector<Member>>(1);
};

// The records of another source, with reads and writes instead of those of groups and pairs.
class UngroupedRecords : public RecordSource {
 public:
  // The groups must outlive it.
  UngroupedRecords(std::unique_ptr<RecordSource> source, const ReadGroups& groups)
      : source_(std::move(source)), groups_(groups) {}
  size_t read(std::span<recording::Record> records) override;
  bool is_damaged() const override { return is_damaged_ || source_->is_damaged(); }

 private:
  bool look();
  size_t read_members(const recording::Record& group, std::span<recording::Record> records);

  std::unique_ptr<RecordSource> source_;
  const ReadGroups& groups_;
  std::array<recording::Record, 256> grouped_ = {};
  size_t next_ = 0;  // of these
  size_t count_ = 0;
  size_t next_member_ = 0;  // of the group that is next
  bool is_damaged_ = false;
};

}  // namespace foretrace
