#include "recording/call_stacks.h"

#include <algorithm>

#include "runtime/layout.h"

namespace foretrace {

void CallStacks::add(uint32_t number, uint32_t parent, uint32_t site) {
  if (number >= stacks_.size()) stacks_.resize(number + 1);
  stacks_[number] = {parent, site};
}

uint32_t CallStacks::parent(uint32_t number) const {
  const uint32_t parent = number < stacks_.size() ? stacks_[number].parent : 0;
  return parent < number ? parent : 0;
}

uint32_t CallStacks::site(uint32_t number) const {
  return number < stacks_.size() ? stacks_[number].site : 0;
}

uint32_t CallStacks::place(uint32_t number) const { return site(number) & ~recording::kCodeSite; }

std::vector<CodeFrame> CallStacks::frames(uint32_t number) {
  std::vector<CodeFrame> frames;
  for (; number != 0 && number < stacks_.size(); number = parent(number)) {
    const std::vector<CodeFrame>& call = modules_.frames(place(number));
    frames.insert(frames.end(), call.begin(), call.end());
  }
  return frames;
}

void StackLog::note(ThreadId thread, uint64_t index, const std::shared_ptr<CallStacks>& stacks,
                    uint32_t number) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  Thread& log = threads_[thread];
  if (log.stacks != stacks) log.stacks = stacks;
  if (!log.changes.empty() && log.changes.back().index() == index) {
    log.changes.back() = {index, number};
    return;
  }
  // What comes after a change that is left out has no stack, not an old one.
  if (changes_ >= kMost) {
    ++left_out_;
    if (!log.changes.empty() && log.changes.back().number() != 0) log.changes.push_back({index, 0});
    return;
  }
  ++changes_;
  log.changes.push_back({index, number});
}

std::vector<CodeFrame> StackLog::frames_at(ThreadId thread, uint64_t index) const {
  if (thread >= threads_.size()) return {};
  const Thread& log = threads_[thread];
  const auto next =
      std::upper_bound(log.changes.begin(), log.changes.end(), index,
                       [](uint64_t value, const Change& change) { return value < change.index(); });
  if (next == log.changes.begin()) return {};
  return log.stacks->frames(std::prev(next)->number());
}

}  // namespace foretrace
