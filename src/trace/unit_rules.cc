#include "trace/unit_rules.h"

#include "base/input.h"
#include "base/table.h"
#include "base/text.h"

namespace foretrace {

Result<UnitRules> UnitRules::read(const std::string& path) {
  const Result<std::string> content = read_input(path);
  if (!content) return tl::unexpected(content.error());
  return parse(path, *content);
}

Result<UnitRules> UnitRules::parse(std::string_view name, std::string_view content) {
  UnitRules rules;
  uint64_t number = 0;
  for (std::string_view line : split(content, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) continue;
    const bool atomic = words[0] == "atomic";
    if (!atomic && words[0] != "not") {
      return fail("{}:{}: '{}' is no rule: write 'atomic PATTERN' or 'not PATTERN'", name, number,
                  printable(words[0]));
    }
    if (words.size() == 1) {
      return fail("{}:{}: '{}' without a pattern: write the labels that it is about, * is any",
                  name, number, words[0]);
    }
    for (size_t i = 1; i < words.size(); ++i)
      rules.rules_.push_back({std::string(words[i]), atomic});
  }
  return rules;
}

bool UnitRules::is_atomic(std::string_view label) const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (glob_match(rule->pattern, label)) return rule->atomic;
  }
  return true;
}

bool UnitFilter::is_atomic(uint32_t label) {
  Known& known = slot(labels_, label);
  if (known == Known::nothing) {
    known =
        rules_.is_atomic(symbols_.names(Space::label)[label]) ? Known::atomic : Known::not_atomic;
  }
  return known == Known::atomic;
}

void UnitFilter::apply(EventBuffer& buffer) {
  for (Event& event : buffer.events) {
    const bool bounds_unit = event.op() == Op::beg || event.op() == Op::end;
    if (bounds_unit && !is_atomic(event.object)) event.set_op(Op::skip);
  }
}

}  // namespace foretrace
