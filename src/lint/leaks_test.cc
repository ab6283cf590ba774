#include "lint/leaks.h"

#include <deque>

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

Path variable(Path::Root root, uint32_t index = 0) { return {root, index, {}, {}}; }
Path inside(Path path, const char* field) {
  path.steps.push_back({Step::Kind::deref, {}});
  path.steps.push_back({Step::Kind::field, Name(field)});
  return path;
}
Value value(Value::Kind kind, Path path) {
  Value made;
  made.kind = kind;
  made.path = std::move(path);
  return made;
}
Value address(Path path) { return value(Value::Kind::address_of, std::move(path)); }
Value copy(Path path) { return value(Value::Kind::value_of, std::move(path)); }

const Path kLocal = variable(Path::Root::local);
const Path kParameter = variable(Path::Root::parameter);

// Functions that are called by their names.
class LeaksTest : public ::testing::Test {
 protected:
  Function& function(const char* name) {
    Function& made = all_.emplace_back();
    made.usr = Name(name);
    made.blocks.resize(1);
    functions_[made.usr] = &made;
    return made;
  }
  static uint32_t add(Function& function, decltype(Op::what) what) {
    Op op;
    op.id = static_cast<uint32_t>(function.blocks[0].ops.size());
    op.what = std::move(what);
    function.blocks[0].ops.push_back(std::move(op));
    return function.blocks[0].ops.back().id;
  }
  void call(Function& caller, const char* name, Value argument) {
    Call made;
    made.callee = Name(name);
    made.arguments.push_back(std::move(argument));
    const uint32_t op = add(caller, std::move(made));
    calls_.push_back({&caller, op, Name(name)});
  }
  bool leaves(const Function& owner) {
    Leaks::Targets targets;
    for (const Made& made : calls_) {
      const auto callee = functions_.find(made.callee);
      if (callee != functions_.end()) targets[{made.caller, made.op}].insert(callee->second);
    }
    return Leaks(functions_, targets).leaves(owner, Path::Root::local, 0);
  }
  struct Made {
    const Function* caller;
    uint32_t op;
    Name callee;
  };

  std::deque<Function> all_;
  Leaks::Functions functions_;
  std::vector<Made> calls_;
};

TEST_F(LeaksTest, WhatIsOnlyPassedAlongStays) {
  Function& owner = function("owner");
  call(owner, "reader", address(kLocal));
  Function& reader = function("reader");
  call(reader, "a library function", copy(kParameter));
  call(reader, "reader", copy(kParameter));
  EXPECT_FALSE(leaves(owner));
}

TEST_F(LeaksTest, WhatACalleePutsIntoMemoryLeaves) {
  Function& owner = function("owner");
  call(owner, "passer", address(kLocal));
  call(function("passer"), "keeper", copy(kParameter));
  function("keeper").bindings.push_back(
      {{Path::Root::global, 0, Name("everybodys"), {}}, copy(kParameter)});
  EXPECT_TRUE(leaves(owner));
}

TEST_F(LeaksTest, PointersOfTheFunctionAreFollowed) {
  Function& owner = function("owner");
  owner.bindings.push_back({variable(Path::Root::local, 1), address(kLocal)});
  EXPECT_FALSE(leaves(owner));
  owner.bindings.push_back(
      {inside(variable(Path::Root::self), "kept"), copy(variable(Path::Root::local, 1))});
  EXPECT_TRUE(leaves(owner));
}

TEST_F(LeaksTest, AnObjectMayPointToItself) {
  Function& owner = function("owner");
  call(owner, "constructor", address(kLocal));
  function("constructor")
      .bindings.push_back({inside(kParameter, "begin"), address(inside(kParameter, "buffer"))});
  EXPECT_FALSE(leaves(owner));
  // But then what is read from it can be its address.
  call(owner, "keeper", address(kLocal));
  function("keeper").bindings.push_back(
      {{Path::Root::global, 0, Name("everybodys"), {}}, copy(inside(kParameter, "begin"))});
  EXPECT_TRUE(leaves(owner));
}

TEST_F(LeaksTest, WhatAnObjectContainsIsNotItsAddress) {
  Function& owner = function("owner");
  call(owner, "keeper", address(kLocal));
  function("keeper").bindings.push_back(
      {{Path::Root::global, 0, Name("everybodys"), {}}, copy(inside(kParameter, "next"))});
  EXPECT_FALSE(leaves(owner));
}

TEST_F(LeaksTest, ResultsThatPointToItAreFollowed) {
  Function& owner = function("owner");
  call(owner, "itself", address(kLocal));
  function("itself").returns.push_back(copy(kParameter));
  EXPECT_FALSE(leaves(owner));
  owner.bindings.push_back(
      {{Path::Root::global, 0, Name("everybodys"), {}}, copy(variable(Path::Root::result, 0))});
  EXPECT_TRUE(leaves(owner));
}

TEST_F(LeaksTest, AllThatACallMayMeanCount) {
  Function& owner = function("owner");
  call(owner, "base", address(kLocal));
  function("base");
  EXPECT_FALSE(leaves(owner));
  function("derived").bindings.push_back(
      {{Path::Root::global, 0, Name("everybodys"), {}}, copy(kParameter)});
  calls_.push_back({&owner, 0, Name("derived")});
  EXPECT_TRUE(leaves(owner));
}

TEST_F(LeaksTest, ThreadsAndUnknownCodeTakeIt) {
  Function& starter = function("starter");
  Spawn spawn;
  spawn.arguments.push_back(address(kLocal));
  add(starter, std::move(spawn));
  EXPECT_TRUE(leaves(starter));
  Function& caller = function("caller");
  Call unknown;
  unknown.through = copy(kParameter);
  unknown.arguments.push_back(address(kLocal));
  add(caller, std::move(unknown));
  EXPECT_TRUE(leaves(caller));
}

TEST_F(LeaksTest, FieldsOfVariablesHaveWhatIsPutThere) {
  Function& owner = function("owner");
  const Path holder = variable(Path::Root::local, 1);
  Path field = holder;
  field.steps.push_back({Step::Kind::field, Name("pointer")});
  owner.bindings.push_back({field, address(kLocal)});
  call(owner, "reader", address(holder));
  Function& reader = function("reader");
  EXPECT_FALSE(leaves(owner));
  reader.bindings.push_back({variable(Path::Root::global), copy(inside(kParameter, "pointer"))});
  EXPECT_TRUE(leaves(owner));
}

TEST_F(LeaksTest, ClosuresHaveWhatTheyCapture) {
  Function& owner = function("owner");
  Value closure = value(Value::Kind::function, {});
  closure.function = Name("lambda");
  closure.captures.push_back(address(kLocal));
  call(owner, "runner", closure);
  function("runner");
  Function& lambda = function("lambda");
  EXPECT_FALSE(leaves(owner));
  lambda.bindings.push_back(
      {{Path::Root::global, 0, Name("everybodys"), {}}, copy(variable(Path::Root::capture))});
  EXPECT_TRUE(leaves(owner));
}

}  // namespace
}  // namespace foretrace::lint
