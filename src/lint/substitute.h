// Paths of a callee in the words of its caller, and the other way round.
#pragma once

#include <optional>
#include <vector>

#include "lint/summary.h"

namespace foretrace::lint {

// What a call gives to the function that it calls.
struct Given {
  const Value* receiver = nullptr;
  const std::vector<Value>* arguments = nullptr;
};
Given given_by(const Call& call);
Given given_by(const Spawn& spawn);

// What was given for the parameter (or `this`) that the path begins with; null: nothing.
const Value* given_for(const Path& path, const Given& given);

// A path of the callee in the caller's words, if it can be said: globals are what
// they are; parameters and `this` are what the call gives.
std::optional<Path> to_caller(const Path& path, const Given& given);

// A path of the caller in the callee's words: `account->mutex` is `this->mutex` in
// account->deposit().
std::optional<Path> to_callee(const Path& path, const Given& given);

}  // namespace foretrace::lint
