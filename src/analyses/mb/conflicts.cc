#include "analyses/mb/conflicts.h"

#include <algorithm>

namespace foretrace::mb {

void ReadLists::make_list(Conflicts& location) {
  if (free_.empty()) {
    lists_.emplace_back();
    free_.push_back(static_cast<uint32_t>(lists_.size()));
  }
  location.list = free_.back();
  free_.pop_back();
  for (const PastAccess& read : location.reads) add_to_list(location, read);
}

void ReadLists::drop_list(Conflicts& location) {
  lists_[location.list - 1].clear();
  free_.push_back(location.list);
  location.list = 0;
}

void ReadLists::add_to_list(Conflicts& location, const PastAccess& access) {
  std::vector<PastAccess>& list = lists_[location.list - 1];
  const ThreadId thread = access.epoch().thread();
  const auto place = std::lower_bound(
      list.begin(), list.end(), thread,
      [](const PastAccess& read, ThreadId id) { return read.epoch().thread() < id; });
  if (place != list.end() && place->epoch().thread() == thread) {
    *place = access;
  } else {
    list.insert(place, access);
  }
}

}  // namespace foretrace::mb
