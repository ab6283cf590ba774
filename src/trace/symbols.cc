#include "trace/symbols.h"

#include <algorithm>
#include <cstring>

namespace foretrace {

std::optional<Op> op_named(std::string_view name) {
  for (size_t i = 0; i < kOpCount; ++i) {
    if (kOpTraits[i].name == name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

std::string_view NameTable::keep(std::string_view name) const {
  constexpr size_t kFirstBlock = size_t{1} << 10;  // each next doubles
  constexpr size_t kLargestBlock = size_t{1} << 16;
  if (name.size() > left_) {
    left_ = std::max(std::clamp(block_size_ * 2, kFirstBlock, kLargestBlock), name.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
    block_size_ = left_;
  }
  char* const place = blocks_.empty() ? nullptr : blocks_.back().get() + (block_size_ - left_);
  std::copy(name.begin(), name.end(), place);
  left_ -= name.size();
  return {place, name.size()};
}

uint32_t NameTable::append(std::string_view name) {
  const uint32_t id = names_.size();
  names_.push_back(keep(name));
  return id;
}

uint32_t NameTable::append_later() {
  const uint32_t id = names_.size();
  names_.push_back({});
  return id;
}

void NameTable::make_up_to(uint32_t id) const {
  if (id < made_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(making_);
  for (uint32_t next = made_.load(std::memory_order_relaxed); next <= id; ++next) {
    names_.set(next, keep(maker_->make(next)));
    made_.store(next + 1, std::memory_order_release);
  }
}

Symbols::Symbols() { sites.push_back(Site{}); }

std::string_view Symbols::object(const Event& event) const {
  const Space space = space_of(event.op());
  return space == Space::none ? std::string_view() : names(space)[event.object];
}

std::string Symbols::site_text(SiteId id) const {
  if (id == kNoSite) return {};
  const Site& site = sites[id];
  const std::string_view file = site.file == 0 ? std::string_view() : files[site.file - 1];
  if (site.line == 0) return std::string(file);
  if (site.file == 0) return fmt::format("{}", site.line);
  if (site.column == 0) return fmt::format("{}:{}", file, site.line);
  return fmt::format("{}:{}:{}", file, site.line, site.column);
}

std::string Symbols::site_function(SiteId id) const {
  const Site& site = sites[id];
  return site.function == 0 ? std::string() : std::string(functions[site.function - 1]);
}

}  // namespace foretrace
