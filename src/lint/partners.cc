#include "lint/partners.h"

#include <algorithm>
#include <tuple>

#include "base/sort_once.h"

namespace foretrace::lint {
namespace {

Partners::Around locks_of(const std::vector<HeldLock>& held) {
  Partners::Around locks;
  for (const HeldLock& lock : held) locks.emplace_back(lock.lock, lock.shared);
  sort_once(locks);
  return locks;
}

}  // namespace

Partners::Partners(const Program& program, const Blocks& blocks, Overlaps& overlaps)
    : program_(program), blocks_(blocks), overlaps_(overlaps) {
  index();
}

ContentId Partners::content(const BlockRef& block) {
  const Effects& effects = blocks_.effects(block);
  const auto [known, is_new] = content_of_.try_emplace(&effects, 0);
  if (!is_new) return known->second;
  std::vector<uint32_t> text;
  for (const auto& [location, effect] : effects) {
    text.push_back(location);
    text.push_back((effect.read ? 1U : 0U) + (effect.write ? 2U : 0U));
  }
  const auto number = static_cast<ContentId>(effects_.size());
  const auto [entry, is_other] = contents_.try_emplace(std::move(text), number);
  if (is_other) effects_.push_back(&effects);
  return known->second = entry->second;
}

MomentId Partners::moment(const BlockRef& block) {
  Moment moment = program_.moment({blocks_.context(block.unit), blocks_.region(block).acquire});
  const auto number = static_cast<MomentId>(all_moments_.size());
  const auto [known, is_new] = moments_.try_emplace(moment, number);
  if (is_new) all_moments_.push_back(std::move(moment));
  return known->second;
}

void Partners::index() {
  std::map<std::tuple<ContentId, MomentId, Around>, size_t> numbers;
  std::vector<ContentId> contents;
  for (const BlockRef& block : blocks_.outermost()) {
    if (blocks_.effects(block).empty()) continue;
    const ContentId does = content(block);
    Partner partner{moment(block), locks_of(blocks_.locks(block))};
    if (!numbers.try_emplace({does, partner.moment, partner.locks}, partners_.size()).second) {
      continue;
    }
    contents.push_back(does);
    partners_.push_back(std::move(partner));
    blocks_of_.push_back(block);
  }
  const Users nobody{Bits(partners_.size()), Bits(partners_.size())};
  for (size_t number = 0; number < partners_.size(); ++number) {
    for (const auto& [location, effect] : effects(contents[number])) {
      Users& users = direct_.try_emplace(location, nobody).first->second;
      if (effect.read) users.readers.set(number);
      if (effect.write) users.writers.set(number);
    }
  }
}

std::vector<bool> Partners::used() {
  std::vector<bool> found(program_.all_locations().size(), false);
  for (const auto& [location, users] : direct_) {
    for (const LocationId other : overlaps_.of(location)) found[other] = true;
  }
  return found;
}

const Partners::Users& Partners::users_of(LocationId location) {
  const auto [known, is_new] = users_.try_emplace(location);
  if (!is_new) return known->second;
  Users users{Bits(partners_.size()), Bits(partners_.size())};
  for (const LocationId other : overlaps_.of(location)) {
    const auto found = direct_.find(other);
    if (found == direct_.end()) continue;
    users.readers |= found->second.readers;
    users.writers |= found->second.writers;
  }
  return known->second = std::move(users);
}

bool Partners::can_come(const Partner& partner, MomentId first, MomentId second,
                        const Around& around) const {
  const Moment& moment = all_moments_[partner.moment];
  if (!program_.parallel(moment, all_moments_[first]) ||
      !program_.parallel(moment, all_moments_[second])) {
    return false;
  }
  // A lock that is held all the way from the first block to the second keeps it out.
  return std::none_of(around.begin(), around.end(), [&](const auto& held) {
    return std::any_of(partner.locks.begin(), partner.locks.end(), [&](const auto& lock) {
      return held.first == lock.first && !(held.second && lock.second);
    });
  });
}

uint32_t Partners::between(MomentId first, MomentId second, const Around& around) {
  const auto [known, is_new] = known_.try_emplace({first, second, around}, 0);
  if (!is_new) return known->second;
  Bits set(partners_.size());
  for (size_t number = 0; number < partners_.size(); ++number) {
    if (can_come(partners_[number], first, second, around)) set.set(number);
  }
  const auto [entry, is_other] = numbers_.try_emplace(set, static_cast<uint32_t>(sets_.size()));
  if (is_other) sets_.push_back(std::move(set));
  return known->second = entry->second;
}

}  // namespace foretrace::lint
