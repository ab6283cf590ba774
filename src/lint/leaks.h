// Whether the address of an object leaves the calls that it is passed along: an object of
// which it does not is its owner's alone, whatever is said of others of its type. Asked of
// functions, not of contexts: no limit on the number of those makes two objects one here.
//
// An address leaves where it is put into memory that is neither a variable of the
// function, or a field of one, nor the object itself (a buffer in it that one of its fields points
// to), given to a thread, or passed to code that is not known; or where a function that it is
// passed to lets it leave. Library functions are taken not to keep it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lint/summary.h"

namespace foretrace::lint {

class Leaks {
 public:
  using Functions = std::unordered_map<Name, Function*>;
  // By function and call: what is called, in any context.
  using Targets = std::map<std::pair<const Function*, uint32_t>, std::set<const Function*>>;
  Leaks(const Functions& functions, Targets targets);

  // Whether the address of a local or an allocation of the function leaves.
  bool leaves(const Function& function, Path::Root root, uint32_t index);
  // The ops of the function at which the address of an allocation leaves. None: it is not known
  // where it does.
  std::optional<std::set<uint32_t>> leaves_at(const Function& function, uint32_t allocation);
  // Whether a function lets the object leave that it is given a pointer to.
  bool lets_leave(const Function& function, Path::Root root, uint32_t index);

 private:
  // A variable, and how many pointers lead from it to the object: none for the object
  // itself, one for a pointer to it.
  struct Way {
    Path::Root root = Path::Root::none;
    uint32_t index = 0;
    uint32_t pointers = 0;
    bool holds_itself = false;  // the object may have its own address in it
    friend auto operator<=>(const Way&, const Way&) = default;
  };
  // What becomes of an object that a function has or is given.
  struct Fate {
    bool leaves = false;
    bool returned = false;  // the result points to it
    bool holds_itself = false;
    friend bool operator==(const Fate&, const Fate&) = default;
  };
  using Question = std::pair<const Function*, Way>;
  class Follower;

  // What is known so far; whoever asks is asked again when more is.
  Fate fate(const Question& question, const Question& asked_by);
  const Fate& answer(const Question& question);
  const std::set<const Function*>& targets(const Function& function, const Op& call) const;
  void solve();

  std::unordered_map<Name, std::vector<const Function*>> bodies_;  // of closures
  const Targets targets_;
  std::map<Question, Fate> fates_;
  std::map<Question, std::set<Question>> asked_by_;
  std::vector<Question> work_;
};

}  // namespace foretrace::lint
