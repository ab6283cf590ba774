#include "recording/access_states.h"

#include <algorithm>

#include "base/hash.h"

namespace foretrace {

AccessStates::AccessStates(HardOrder& order) : order_(order) {
  states_.resize(2);  // kUntouched and kMatters
  numbers_[State()] = kUntouched;
}

size_t AccessStates::StateHash::operator()(const State& state) const {
  uint64_t hash = mixed(state.write.clock() << 24 | state.write.thread());
  for (const Epoch read : state.reads) {
    hash = mixed(hash ^ (read.clock() << 24 | read.thread()));
  }
  return hash;
}

AccessStates::Id AccessStates::number_of(State state) {
  const auto [known, is_new] =
      numbers_.try_emplace(std::move(state), static_cast<Id>(states_.size()));
  if (is_new) states_.push_back(known->first);
  return known->second;
}

AccessStates::Id AccessStates::compute(Id id, const Access& access) {
  const State& state = states_[id];
  const auto ordered = [&](Epoch past) { return order_.ordered(past, access.thread); };
  // A read is covered by the thread's own write in the same epoch.
  if (state.write == access.now && state.reads.empty()) return id;
  if (!ordered(state.write)) return kMatters;
  if (access.write) {
    if (!std::all_of(state.reads.begin(), state.reads.end(), ordered)) return kMatters;
    return number_of({access.now, {}});
  }
  State next = {state.write, {}};
  std::remove_copy_if(state.reads.begin(), state.reads.end(), std::back_inserter(next.reads),
                      ordered);
  const auto place = std::find_if(next.reads.begin(), next.reads.end(),
                                  [&](Epoch read) { return read.thread() > access.now.thread(); });
  next.reads.insert(place, access.now);
  return number_of(std::move(next));
}

void AccessStates::begin_dropping() {
  old_states_ = std::move(states_);
  numbers_.clear();
  states_.assign(2, State());
  numbers_[State()] = kUntouched;
  new_numbers_.assign(old_states_.size(), UINT32_MAX);
}

AccessStates::Id AccessStates::keep(Id state) {
  if (state <= kMatters) return state;
  Id& number = new_numbers_[state];
  if (number == UINT32_MAX) number = number_of(std::move(old_states_[state]));
  return number;
}

void AccessStates::end_dropping() {
  old_states_ = {};
  known_.fill(Known());
  most_ = std::max(most_, states_.size() * 2);
}

}  // namespace foretrace
