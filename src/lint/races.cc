// Low-level races, chapter 3 of paper 004: two accesses of one location that may
// happen in parallel, one a write, and no lock or transaction that excludes them.
// Transactions are regions under one global lock.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lint/analysis.h"
#include "lint/anomalies.h"
#include "lint/awaited.h"
#include "lint/configuration.h"
#include "lint/effects.h"
#include "lint/substitute.h"

namespace foretrace::lint {
namespace {

const char* const kRule = "data-race";

struct Found {
  Place place;
  Path path;
  LocationId location = 0;
  bool write = false;
  Owned owned;
  Name element;
  std::optional<Token> number;  // of the thread's own, that the element has
};

class Races {
 public:
  Races(const Program& program, const Models& models)
      : program_(program), models_(models), awaited_(program) {}

  std::vector<LintFinding> run() {
    collect();
    std::vector<LintFinding> findings;
    for (size_t i = 0; i < accesses_.size(); ++i) {
      for (const size_t j : partners(i)) {
        if (races(accesses_[i], accesses_[j])) report(accesses_[i], accesses_[j], findings);
      }
    }
    const auto sites = [](const LintFinding& one) {
      return std::tie(one.finding.events[0].site, one.finding.events[1].site);
    };
    std::sort(findings.begin(), findings.end(),
              [&](const LintFinding& a, const LintFinding& b) { return sites(a) < sites(b); });
    return findings;
  }

 private:
  void collect() {
    for (const ContextId context : contexts_of_threads(program_)) {
      for (const Block& block : program_.context(context).function->blocks) {
        for (const Op& op : block.ops) {
          const Place place{context, op.id};
          for (const Effect& effect : effects(program_, models_, place)) add(place, effect);
        }
      }
    }
    for (size_t i = 0; i < accesses_.size(); ++i) {
      by_name_[last_name(accesses_[i].location)].push_back(i);
    }
  }

  void add(const Place& place, const Effect& effect) {
    if (effect.atomic || in_own_constructor(place.context, effect.path)) return;
    std::optional<Owned> owned;
    for (const LocationId location : effect.locations) {
      if (!program_.shared(location) || program_.indistinct(location)) continue;
      if (!owned && program_.own(place, effect.path)) return;
      if (!owned) owned = program_.ownership(place, effect.path);
      Found found{place, effect.path, location, effect.write, *owned, effect.element, {}};
      if (!effect.number.empty()) {
        found.number = program_.own_number(place.context, effect.number[0]);
        if (!found.number) found.element = {};
      }
      accesses_.push_back(std::move(found));
    }
  }

  // Nobody else has an object that is being made or destroyed.
  bool in_own_constructor(ContextId id, const Path& path) const {
    std::optional<Path> at = path;
    while (at) {
      const Context& context = program_.context(id);
      const Function& function = *context.function;
      if ((function.is_constructor || function.is_destructor) && at->root == Path::Root::self) {
        return true;
      }
      if (context.parent == id) return false;
      const Call* call = program_.op({context.parent, context.call_op}).as<Call>();
      at = call != nullptr ? to_caller(*at, given_by(*call)) : std::nullopt;
      id = context.parent;
    }
    return false;
  }

  // Locations that can be the same end in the same field, or are the same object.
  uint64_t last_name(LocationId location) const {
    const Location& at = program_.all_locations().at(location);
    if (at.kind == Location::Kind::inside && at.step.kind == Step::Kind::field) {
      return at.step.name.number();
    }
    return (uint64_t{1} << 32) + program_.all_locations().object_of(location);
  }

  std::vector<size_t> partners(size_t i) const {
    std::vector<size_t> found;
    const std::vector<size_t>& same = by_name_.at(last_name(accesses_[i].location));
    std::copy_if(same.begin(), same.end(), std::back_inserter(found),
                 [&](size_t j) { return j >= i; });
    return found;
  }

  bool races(const Found& a, const Found& b) const {
    if (!a.write && !b.write) return false;
    if (own_elements(a, b) || other_elements(a, b)) return false;
    if (frees(a) && frees(b)) return false;  // each its own: twice the same would be another error
    if (!program_.all_locations().may_alias(a.location, b.location)) return false;
    return !own_objects(a, b) && program_.parallel(a.place, b.place) &&
           !program_.exclude(a.place, a.path, b.place, b.path) &&
           !program_.apart_on_stacks(a.place, a.path, b.place, b.path);
  }

  // Elements of an array that threads divide among them, by the number that each has.
  bool own_elements(const Found& a, const Found& b) const {
    if (a.element.empty() || a.element != b.element || a.number != b.number) return false;
    return !a.number ||
           program_.context(a.place.context).thread == program_.context(b.place.context).thread;
  }

  // `a[0]` and `a[1]`: one of the elements on the way has another number.
  static bool other_elements(const Found& a, const Found& b) {
    const auto numbers = [](const Path& path) {
      std::vector<Name> found;
      for (const Step& step : path.steps) {
        if (step.kind == Step::Kind::deref) found.clear();
        if (step.kind == Step::Kind::element) found.push_back(step.index);
      }
      return found;
    };
    const std::vector<Name> one = numbers(a.path);
    const std::vector<Name> other = numbers(b.path);
    if (one.size() != other.size()) return false;
    for (size_t i = 0; i < one.size(); ++i) {
      if (is_constant(one[i]) && is_constant(other[i]) && one[i] != other[i]) return true;
    }
    return false;
  }

  // Each thread accesses one of its own; or it was the thread's only after the access.
  bool own_objects(const Found& a, const Found& b) const {
    if (program_.before_given(a.place, a.path, b.owned) ||
        program_.before_given(b.place, b.path, a.owned)) {
      return true;
    }
    if (a.owned.how != b.owned.how || a.owned.how == Ownership::none) return false;
    return a.owned.how != Ownership::argument ||
           program_.context(a.place.context).thread == program_.context(b.place.context).thread;
  }

  void report(const Found& a, const Found& b, std::vector<LintFinding>& findings) {
    const Found* first = &a;
    const Found* second = &b;
    const auto key = [&](const Found& access) {
      return std::tuple(program_.op(access.place).position, access.write);
    };
    if (key(*second) < key(*first)) std::swap(first, second);
    const auto [known, is_new] =
        seen_.try_emplace({key(*first), key(*second)}, Seen{findings.size(), false});
    if (!is_new && !known->second.in_order) return;
    const std::optional<Awaited::Order> order = order_of(*first, *second);
    if (!is_new && order) return;
    known->second.in_order = order.has_value();
    if (is_new) findings.emplace_back();
    // Where only some of the calls that lead to the two are in order, one that is not counts.
    LintFinding& made = findings[known->second.finding] = {};
    Finding& finding = made.finding;
    finding.analysis = "lint";
    finding.kind = kRule;
    finding.variable = program_.text(first->location);
    finding.events = {
        event_at(program_, first->place, *finding.variable, first->write),
        event_at(program_, second->place, program_.text(second->location), second->write)};
    finding.message = fmt::format(
        "{} can be {} at {} and {} at {} at the same time: no lock or transaction excludes it",
        *finding.variable, first->write ? "written" : "read", finding.events[0].site,
        second->write ? "written" : "read", finding.events[1].site);
    finding.reason = order ? reason(*order) : reason(*first, *second);
    finding.detail = {{"confidence", name_of(order ? Confidence::low : Confidence::normal)}};
    made.calls = {calls_to(program_, first->place.context),
                  calls_to(program_, second->place.context)};
    made.weight = weight(*first, *second);
  }

  // What is known of the objects counts most, then that nothing is held, then two writes.
  int weight(const Found& a, const Found& b) const {
    const bool told = told_apart(program_, a.location) && told_apart(program_, b.location);
    const bool bare = !is_locked(a) && !is_locked(b);
    return (told ? 4 : 0) + (bare ? 2 : 0) + (a.write && b.write ? 1 : 0);
  }

  bool frees(const Found& access) const {
    const Call* const call = program_.op(access.place).as<Call>();
    return call != nullptr && call->name == Name("free");
  }

  bool is_locked(const Found& access) const {
    const std::vector<HeldLock> held = program_.locks(access.place);
    return std::any_of(held.begin(), held.end(),
                       [](const HeldLock& lock) { return lock.kind != LockKind::once; });
  }

  std::optional<Awaited::Order> order_of(const Found& a, const Found& b) const {
    if (const auto order = awaited_.order(a.place, b.place)) return order;
    return awaited_.order(b.place, a.place);
  }

  std::string reason(const Awaited::Order& order) const {
    const std::string variable = program_.text(order.variable);
    return fmt::format(
        "They are in order if the wait at {} ends only when every such thread has {} {} (at "
        "{}). That it waits for all of them cannot be seen here.",
        to_string(order.wait), order.is_signal ? "signalled" : "written", variable,
        to_string(order.write));
  }

  std::string reason(const Found& a, const Found& b) const {
    const bool one = !is_locked(a);
    const bool other = !is_locked(b);
    if (one && other) return "Neither access is inside an atomic block or under a lock.";
    if (one || other) return "Only one of the accesses is inside an atomic block or under a lock.";
    return "The two accesses are under locks, but under no lock that both hold.";
  }

  using Key = std::tuple<Position, bool>;
  const Program& program_;
  const Models& models_;
  std::vector<Found> accesses_;
  std::map<uint64_t, std::vector<size_t>> by_name_;
  const Awaited awaited_;
  struct Seen {
    size_t finding = 0;
    bool in_order = false;  // by a wait, as far as is known
  };
  std::map<std::pair<Key, Key>, Seen> seen_;
};

Result<std::vector<LintRule>> rules(const LintOptions&) {
  return std::vector<LintRule>{
      {kRule, "accesses of shared data that clash outside every atomic block", true}};
}

const LintRegistration registration({
    .name = "races",
    .summary = "accesses that two threads may do at the same time (chapter 3 of paper 004)",
    .rules = rules,
    .run = [](const Program& program,
              const LintOptions& options) -> Result<std::vector<LintFinding>> {
      if (!wanted(options, (*rules(options))[0])) return std::vector<LintFinding>{};
      const Result<Configuration> configuration = read_configuration(options);
      if (!configuration) return tl::unexpected(configuration.error());
      return Races(program, configuration->models).run();
    },
});

}  // namespace
}  // namespace foretrace::lint
