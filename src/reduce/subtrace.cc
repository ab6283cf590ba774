#include "reduce/subtrace.h"

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <tsl/robin_map.h>

#include "base/hash.h"

namespace foretrace {
namespace {

// What a name becomes.
using Namer = std::function<std::string(Space, std::string_view)>;

// Gives the names that events use new numbers, in the order of their appearance.
class Renumbering {
 public:
  Renumbering(const Symbols& from, Symbols& to, Namer namer)
      : from_(from), to_(to), namer_(std::move(namer)) {}

  Event operator()(Event event) {
    event.thread = number(Space::thread, event.thread) & kMaxThreads;
    const Space space = space_of(event.op());
    if (space != Space::none) event.object = number(space, event.object);
    event.site = site(event.site);
    return event;
  }

  // Of the declarations, what concerns names that are used.
  void copy_declarations() {
    const std::unordered_map<std::string, std::string> locations = used(Space::location);
    const std::unordered_map<std::string, std::string> labels = used(Space::label);
    std::unordered_set<std::string> sets;
    for (uint32_t i = 0; i < from_.sets.size(); ++i) {
      SetDeclaration kept = {from_.sets[i].name, {}};
      for (const std::string& name : from_.sets[i].locations) {
        if (const auto found = locations.find(name); found != locations.end()) {
          kept.locations.push_back(found->second);
        }
      }
      if (kept.locations.empty()) continue;
      sets.insert(kept.name);
      to_.sets.push_back(std::move(kept));
    }
    for (uint32_t i = 0; i < from_.units.size(); ++i) {
      const auto label = labels.find(from_.units[i].label);
      if (label == labels.end()) continue;
      UnitDeclaration kept = {label->second, {}};
      for (const std::string& name : from_.units[i].sets) {
        if (sets.contains(name)) kept.sets.push_back(name);
      }
      if (!kept.sets.empty()) to_.units.push_back(std::move(kept));
    }
  }

 private:
  using Numbers = tsl::robin_map<uint32_t, uint32_t, IntegerHash>;

  uint32_t number(Space space, uint32_t old) {
    Numbers& numbers = numbers_[static_cast<size_t>(space)];
    const auto [place, fresh] = numbers.try_emplace(old, to_.names(space).size());
    if (fresh) to_.names(space).append(namer_(space, from_.names(space)[old]));
    return place->second;
  }

  SiteId site(SiteId old) {
    if (old == kNoSite) return kNoSite;
    const auto [place, fresh] = sites_.try_emplace(old, to_.sites.size());
    if (fresh) {
      Site site = from_.sites[old];
      site.file = text(from_.files, to_.files, files_, site.file);
      site.function = text(from_.functions, to_.functions, functions_, site.function);
      to_.sites.push_back(site);
    }
    return place->second;
  }

  // Files and functions count from one.
  static uint32_t text(const NameTable& from, NameTable& to, Numbers& numbers, uint32_t old) {
    if (old == 0) return 0;
    const auto [place, fresh] = numbers.try_emplace(old, to.size() + 1);
    if (fresh) to.append(from[old - 1]);
    return place->second;
  }

  // From old to new names.
  std::unordered_map<std::string, std::string> used(Space space) const {
    std::unordered_map<std::string, std::string> names;
    for (const auto& [old, fresh] : numbers_[static_cast<size_t>(space)]) {
      names.emplace(from_.names(space)[old], to_.names(space)[fresh]);
    }
    return names;
  }

  const Symbols& from_;
  Symbols& to_;
  const Namer namer_;
  std::array<Numbers, kSpaceCount> numbers_;
  Numbers sites_;
  Numbers files_;
  Numbers functions_;
};

std::string same_name(Space, std::string_view name) { return std::string(name); }

// x, y, z, x1, y1, z1, …
std::string nth_name(std::string_view letters, size_t n) {
  std::string name(1, letters[n % letters.size()]);
  if (n >= letters.size()) name += std::to_string(n / letters.size());
  return name;
}

// Numbers words as they come.
class ShortWords {
 public:
  explicit ShortWords(std::string_view letters) : letters_(letters) {}
  std::string operator()(std::string_view word) {
    const auto [place, fresh] = words_.try_emplace(std::string(word), words_.size());
    return letters_.empty() ? std::to_string(place->second + 1) : nth_name(letters_, place->second);
  }

 private:
  const std::string_view letters_;  // none: numbers
  std::unordered_map<std::string, size_t> words_;
};

class ShortNames {
 public:
  std::string operator()(Space space, std::string_view name) {
    if (space != Space::location) return words_[static_cast<size_t>(space)](name);
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return locations_(name);
    return objects_(name.substr(0, dot)) + "." + fields_(name.substr(dot + 1));
  }

 private:
  std::array<ShortWords, kSpaceCount> words_ = {ShortWords("o"),   ShortWords(""),  ShortWords("x"),
                                                ShortWords("lmn"), ShortWords("u"), ShortWords("b"),
                                                ShortWords("o")};
  ShortWords locations_{"xyz"};
  ShortWords objects_{"abc"};
  ShortWords fields_{"xyz"};
};

}  // namespace

Trace subtrace(const Trace& trace, Selection& selection, const WellFormedOptions& options) {
  const auto symbols = std::make_shared<Symbols>();
  Renumbering renumber(*trace.symbols, *symbols, same_name);
  EventBuffer buffer;
  buffer.events.reserve(selection.size());
  for (const uint32_t index : selection) {
    Event event = renumber(trace.events[index]);
    event.resumes = 0;
    event.has_value = 0;
    event.big_value = 0;
    event.value = 0;
    buffer.events.push_back(event);
  }
  renumber.copy_declarations();
  WellFormed check(*symbols, "", {.lenient = true, .unnested = options.unnested});
  // It drops what is wrong, so there is nothing left that it could refuse.
  static_cast<void>(check.check(buffer));
  size_t kept = 0;
  for (size_t i = 0; i < buffer.events.size(); ++i) {
    if (buffer.events[i].op() == Op::skip) continue;
    buffer.events[kept] = buffer.events[i];
    selection[kept++] = selection[i];
  }
  buffer.events.resize(kept);
  selection.resize(kept);
  return {symbols, std::move(buffer.events), {}};
}

Trace with_short_names(const Trace& trace) {
  const auto symbols = std::make_shared<Symbols>();
  Renumbering renumber(*trace.symbols, *symbols,
                       [names = std::make_shared<ShortNames>()](
                           Space space, std::string_view name) { return (*names)(space, name); });
  Trace renamed = {symbols, {}, trace.big_values};
  for (const Event& event : trace.events) renamed.events.push_back(renumber(event));
  renumber.copy_declarations();
  return renamed;
}

}  // namespace foretrace
