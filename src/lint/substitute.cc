#include "lint/substitute.h"

#include <algorithm>

namespace foretrace::lint {
namespace {

bool starts_with(const Path& path, const Path& prefix) {
  return path.root == prefix.root && path.index == prefix.index && path.name == prefix.name &&
         path.steps.size() >= prefix.steps.size() &&
         std::equal(prefix.steps.begin(), prefix.steps.end(), path.steps.begin());
}

// `path` in the words of the parameter `root` that was given `value`.
std::optional<Path> through(const Path& path, Path root, const Value& value) {
  if (!value.path.known() || !starts_with(path, value.path)) return std::nullopt;
  auto rest = path.steps.begin() + static_cast<std::ptrdiff_t>(value.path.steps.size());
  if (value.kind == Value::Kind::address_of) {
    root.steps.push_back({Step::Kind::deref, {}});
  } else if (value.kind != Value::Kind::value_of || rest == path.steps.end() ||
             rest->kind != Step::Kind::deref) {
    return std::nullopt;
  }
  root.steps.insert(root.steps.end(), rest, path.steps.end());
  return root;
}

}  // namespace

Given given_by(const Call& call) {
  return {call.is_method ? &call.receiver : nullptr, &call.arguments};
}

Given given_by(const Spawn& spawn) { return {&spawn.receiver, &spawn.arguments}; }

const Value* given_for(const Path& path, const Given& given) {
  if (path.root == Path::Root::self) return given.receiver;
  if (path.root != Path::Root::parameter || given.arguments == nullptr) return nullptr;
  return path.index < given.arguments->size() ? &(*given.arguments)[path.index] : nullptr;
}

std::optional<Path> to_caller(const Path& path, const Given& given) {
  if (path.root == Path::Root::global) return path;
  const Value* value = given_for(path, given);
  if (value == nullptr || path.steps.empty()) return std::nullopt;
  Path made = value->path;
  auto rest = path.steps.begin();
  if (value->kind == Value::Kind::address_of) {
    if (rest->kind != Step::Kind::deref) return std::nullopt;
    ++rest;
  } else if (value->kind != Value::Kind::value_of) {
    return std::nullopt;
  }
  made.steps.insert(made.steps.end(), rest, path.steps.end());
  return made;
}

std::optional<Path> to_callee(const Path& path, const Given& given) {
  if (path.root == Path::Root::global && path.steps.empty()) return path;
  if (given.receiver != nullptr) {
    if (auto made = through(path, {Path::Root::self, 0, {}, {}}, *given.receiver)) return made;
  }
  for (size_t i = 0; given.arguments != nullptr && i < given.arguments->size(); ++i) {
    const Path root{Path::Root::parameter, static_cast<uint32_t>(i), {}, {}};
    if (auto made = through(path, root, (*given.arguments)[i])) return made;
  }
  if (path.root == Path::Root::global) return path;
  return std::nullopt;
}

}  // namespace foretrace::lint
