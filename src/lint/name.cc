#include "lint/name.h"

#include <deque>
#include <unordered_map>

namespace foretrace::lint {
namespace {

struct Table {
  std::deque<std::string> texts{""};  // a deque: texts never move
  std::unordered_map<std::string_view, uint32_t> numbers{{"", 0}};
};

Table& table() {
  static Table names;
  return names;
}

}  // namespace

Name::Name(std::string_view text) {
  Table& names = table();
  const auto known = names.numbers.find(text);
  if (known != names.numbers.end()) {
    number_ = known->second;
    return;
  }
  number_ = static_cast<uint32_t>(names.texts.size());
  names.numbers.emplace(names.texts.emplace_back(text), number_);
}

const std::string& Name::text() const { return table().texts[number_]; }

}  // namespace foretrace::lint
