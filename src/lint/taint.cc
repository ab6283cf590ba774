#include "lint/taint.h"

#include <algorithm>

namespace foretrace::lint {
namespace {

// Where calls go deep, so would paths: beyond some steps, all that is there counts.
constexpr size_t kMostSteps = 6;

bool is_prefix(const Path& prefix, const Path& path) {
  return prefix.root == path.root && prefix.index == path.index && prefix.name == path.name &&
         prefix.steps.size() <= path.steps.size() &&
         std::equal(prefix.steps.begin(), prefix.steps.end(), path.steps.begin());
}

bool is_indirect(const Path& path) {
  return !path.steps.empty() && path.steps.front().kind == Step::Kind::deref;
}

}  // namespace

bool covers(const Path& whole, const Path& part) {
  return is_prefix(whole, part) &&
         (whole.root == Path::Root::global || is_indirect(whole) == is_indirect(part));
}

bool seen_by_callers(const Path& path) {
  return path.root == Path::Root::global ||
         (is_indirect(path) &&
          (path.root == Path::Root::self || path.root == Path::Root::parameter ||
           path.root == Path::Root::capture));
}

bool refers(const Value& value) {
  return (value.kind == Value::Kind::address_of || value.kind == Value::Kind::value_of) &&
         value.path.known();
}

Path pointed_to(Path path) {
  path.steps.push_back({Step::Kind::deref, {}});
  return path;
}

Path referred(const Value& value) {
  return value.kind == Value::Kind::address_of ? value.path : pointed_to(value.path);
}

void Taint::add(const Fact& fact) {
  if (const Token* const token = std::get_if<Token>(&fact)) {
    tokens.insert(*token);
  } else {
    add(std::get<Path>(fact));
  }
}

// What is part of something that has the value is not kept apart, unless only the part is
// seen by callers.
void Taint::add(Path path) {
  if (path.steps.size() > kMostSteps) path.steps.resize(kMostSteps);
  if (std::any_of(memory.begin(), memory.end(),
                  [&](const Path& known) { return covers(known, path); })) {
    return;
  }
  std::erase_if(memory, [&](const Path& known) { return covers(path, known); });
  memory.insert(std::move(path));
  ++changes;
}

bool Taint::has(const Tokens& used) const {
  return std::any_of(used.begin(), used.end(),
                     [&](const Token& token) { return tokens.contains(token); });
}

bool Taint::has(const Path& path) const {
  return path.known() && std::any_of(memory.begin(), memory.end(), [&](const Path& tainted) {
           return is_prefix(tainted, path) || is_prefix(path, tainted);
         });
}

bool Taint::has(const Value& value) const {
  if (has(value.tokens)) return true;
  if (refers(value) && (has(value.path) || has(referred(value)))) return true;
  return std::any_of(value.captures.begin(), value.captures.end(),
                     [&](const Value& capture) { return has(capture); });
}

std::vector<Fact> Taint::facts() const {
  std::vector<Fact> all(tokens.begin(), tokens.end());
  all.insert(all.end(), memory.begin(), memory.end());
  return all;
}

Anew::Without::Without(const Anew& anew, uint32_t op, Taint& taint) : taint_(taint) {
  if (!anew.token || !std::binary_search(anew.ops.begin(), anew.ops.end(), op)) return;
  taken_ = taint.tokens.extract(*anew.token);
}

Anew::Without::~Without() {
  if (!taken_.empty()) taint_.tokens.insert(std::move(taken_));
}

std::optional<Path> in_caller(const Path& path, const Call& call) {
  if (path.root == Path::Root::global) return path;
  const Value* value = &call.receiver;
  if (path.root != Path::Root::self) {
    const std::vector<Value>& given =
        path.root == Path::Root::parameter ? call.arguments : call.through.captures;
    if (path.index >= given.size()) return std::nullopt;
    value = &given[path.index];
  }
  if (!refers(*value)) return std::nullopt;
  Path result = referred(*value);
  result.steps.insert(result.steps.end(), path.steps.begin() + 1, path.steps.end());
  if (result.steps.size() > kMostSteps) result.steps.resize(kMostSteps);
  return result;
}

Taint in_callee(const Taint& taint, const Call& call) {
  Taint result;
  const auto pass = [&](const Value& value, Path::Root root, uint32_t index) {
    if (refers(value) && taint.has(referred(value))) {
      result.add(pointed_to({root, index, {}, {}}));
    }
    if (!taint.has(value.tokens) && !(refers(value) && taint.has(value.path))) return;
    if (root == Path::Root::parameter) result.tokens.insert({Token::Kind::parameter, index});
    if (root == Path::Root::capture) result.tokens.insert({Token::Kind::capture, index});
  };
  for (uint32_t i = 0; i < call.arguments.size(); ++i) {
    pass(call.arguments[i], Path::Root::parameter, i);
  }
  for (uint32_t i = 0; i < call.through.captures.size(); ++i) {
    pass(call.through.captures[i], Path::Root::capture, i);
  }
  pass(call.receiver, Path::Root::self, 0);
  for (const Path& path : taint.memory) {
    if (path.root == Path::Root::global) result.add(path);
  }
  return result;
}

}  // namespace foretrace::lint
