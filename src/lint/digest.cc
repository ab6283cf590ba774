#include "lint/digest.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "findings/folding.h"

namespace foretrace::lint {
namespace {

using Group = std::vector<size_t>;  // places in the list of findings

// What is only known as a `void *` is no object.
std::string object_of(const std::string& variable) {
  const std::string object = variable.substr(0, variable.find_first_of(".["));
  return object.find_first_of(" *") == std::string::npos ? object : variable;
}

// By rule and by what `name` makes of the variable; in each the worst first.
template <typename Name>
std::vector<Group> grouped(const std::vector<LintFinding>& findings, const Name& name) {
  std::map<std::pair<std::string, std::string>, size_t> places;
  std::vector<Group> groups;
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i].finding;
    const auto [place, is_new] =
        places.try_emplace({finding.kind, name(finding.variable.value_or(""))}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  for (Group& group : groups) {
    std::stable_sort(group.begin(), group.end(),
                     [&](size_t a, size_t b) { return findings[a].weight > findings[b].weight; });
  }
  return groups;
}

// How many stay of a group: as many as make no more than `most` in all, if that can be.
size_t share(const std::vector<Group>& groups, size_t most) {
  const auto shown = [&](size_t each) {
    return std::accumulate(
        groups.begin(), groups.end(), size_t{0},
        [&](size_t sum, const Group& group) { return sum + std::min(group.size(), each); });
  };
  size_t each = 1;
  while (shown(each + 1) <= most) ++each;
  return each;
}

void add_calls(const Program& program, LintFinding& made) {
  for (size_t i = 0; i < made.calls.size(); ++i) {
    for (const Place& call : made.calls[i]) {
      made.finding.events[i].calls.push_back(
          {to_string(program.op(call).position), program.context(call.context).function->name});
    }
  }
}

}  // namespace

std::vector<Finding> digest(const Program& program, std::vector<LintFinding> findings,
                            size_t most) {
  std::vector<Group> groups(findings.size());
  size_t each = 1;
  if (findings.size() <= most) {
    for (size_t i = 0; i < findings.size(); ++i) groups[i] = {i};
  } else {
    groups = grouped(findings, [](const std::string& variable) { return variable; });
    if (groups.size() > most) groups = grouped(findings, object_of);
    each = share(groups, most);
  }
  std::map<size_t, Finding> shown;  // by place
  for (const Group& group : groups) {
    for (size_t i = 0; i < std::min(each, group.size()); ++i) {
      add_calls(program, findings[group[i]]);
    }
    // Those that are folded go to the worst.
    std::vector<Finding> same = {std::move(findings[group[0]].finding)};
    for (size_t i = each; i < group.size(); ++i) {
      same.push_back(std::move(findings[group[i]].finding));
    }
    shown.emplace(group[0], folded(std::move(same)));
    for (size_t i = 1; i < std::min(each, group.size()); ++i) {
      shown.emplace(group[i], std::move(findings[group[i]].finding));
    }
  }
  std::vector<Finding> result;
  for (auto& [place, finding] : shown) result.push_back(std::move(finding));
  return result;
}

}  // namespace foretrace::lint
