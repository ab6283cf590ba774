// What has a value, in the words of one function: its tokens (the front end's names for
// what reads and calls give) and its memory.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "lint/summary.h"

namespace foretrace::lint {

// One thing that can have a value.
using Fact = std::variant<Token, Path>;

struct Taint {
  std::set<Token> tokens;
  std::set<Path> memory;
  size_t changes = 0;  // how often memory has got something new
  bool stops = false;  // what comes later depends on it: an exception in between

  Taint() = default;
  explicit Taint(const Fact& fact) { add(fact); }

  void add(const Fact& fact);
  void add(Path path);
  bool has(const Tokens& used) const;
  bool has(const Path& path) const;
  bool has(const Value& value) const;
  std::vector<Fact> facts() const;
};

// What a read gives that is done again, and the ops that then have the new value: the same
// block in a loop.
struct Anew {
  std::optional<Token> token;
  std::vector<uint32_t> ops;  // sorted

  // While there is one, the op does not have the token's value.
  class Without {
   public:
    Without(const Anew& anew, uint32_t op, Taint& taint);
    ~Without();
    Without(const Without&) = delete;
    Without& operator=(const Without&) = delete;

   private:
    Taint& taint_;
    std::set<Token>::node_type taken_;
  };
};

// Whether what has the value of `part` is all in `whole`, for callers as well.
bool covers(const Path& whole, const Path& part);

// Callers can get at it: globals, and what parameters, `this` and captures point to.
bool seen_by_callers(const Path& path);

// Whether a value refers to an object that can be named, and which.
bool refers(const Value& value);
Path referred(const Value& value);
Path pointed_to(Path path);

// What callers can see, in the words of the one who makes the call.
std::optional<Path> in_caller(const Path& path, const Call& call);
// What a call passes on, in the words of the function that is called.
Taint in_callee(const Taint& taint, const Call& call);

}  // namespace foretrace::lint
