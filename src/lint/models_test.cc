#include "lint/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

using testing::HasSubstr;

Call method(const char* name, bool is_const) {
  Call call;
  call.name = Name(name);
  call.is_method = true;
  call.is_const = is_const;
  return call;
}

TEST(Models, KnowsTheLibrary) {
  const Models models;
  EXPECT_EQ(models.effect(method("std::vector::size", true)).receiver, (ObjectEffect{true, false}));
  EXPECT_EQ(models.effect(method("std::vector::begin", false)).receiver,
            (ObjectEffect{true, false}));
  EXPECT_EQ(models.effect(method("std::vector::push_back", false)).receiver,
            (ObjectEffect{true, true}));
  EXPECT_EQ(models.effect(method("std::map::operator[]", false)).receiver,
            (ObjectEffect{true, true}));
  EXPECT_EQ(models.effect(method("std::queue::front", false)).receiver,
            (ObjectEffect{true, false}));
  EXPECT_EQ(models.effect(method("std::thread::join", false)).receiver, ObjectEffect());
  EXPECT_EQ(models.effect(method("std::unique_ptr::operator bool", true)).receiver,
            (ObjectEffect{true, false}));
  EXPECT_EQ(models.effect(method("std::unique_ptr::reset", false)).receiver,
            (ObjectEffect{true, true}));
}

TEST(Models, AStarAfterOperatorIsThatOperator) {
  const ObjectEffect reads{true, false};
  const ObjectEffect writes{false, true};
  Models models;
  EXPECT_EQ(models.effect(method("std::unique_ptr::operator*", true)).receiver, reads);
  EXPECT_EQ(models.effect(method("std::unique_ptr::operator=", false)).receiver, writes);
  ASSERT_TRUE(models.add("my::Number::operator*= this=w\nmy::*::operator* this=r\n", "mine"));
  EXPECT_EQ(models.effect(method("my::Number::operator*=", false)).receiver, reads);
  EXPECT_EQ(models.effect(method("my::Number::operator+=", false)).receiver, reads);
}

TEST(Models, AssignmentWritesWhateverItIs) {
  const Models models;
  for (const char* const name : {"std::pair::operator=", "std::function::operator=",
                                 "std::vector::operator=", "std::optional::operator="}) {
    EXPECT_EQ(models.effect(method(name, false)).receiver, (ObjectEffect{false, true})) << name;
  }
  EXPECT_EQ(models.effect(method("std::thread::operator=", false)).receiver, ObjectEffect());
  EXPECT_EQ(models.effect(method("std::atomic_ref::operator++", true)).receiver, ObjectEffect());
}

TEST(Models, ArgumentsOfMemcpy) {
  Call call;
  call.name = Name("memcpy");
  const CallEffect effect = Models().effect(call);
  ASSERT_EQ(effect.arguments.size(), 2U);
  EXPECT_EQ(effect.arguments[0], (ObjectEffect{false, true}));
  EXPECT_EQ(effect.arguments[1], (ObjectEffect{true, false}));
}

TEST(Models, WhatIsNotKnownIsJudgedByItsDeclaration) {
  const Models models;
  EXPECT_EQ(models.effect(method("Socket::status", true)).receiver, (ObjectEffect{true, false}));
  EXPECT_EQ(models.effect(method("Socket::write", false)).receiver, (ObjectEffect{true, true}));
  Call call;
  call.name = Name("fill");
  call.arguments.resize(3);
  call.arguments[0].kind = Value::Kind::address_of;
  call.arguments[1].kind = Value::Kind::address_of;
  call.argument_is_const = {false, true, true};
  const CallEffect effect = models.effect(call);
  EXPECT_EQ(effect.arguments[0], (ObjectEffect{true, true}));
  EXPECT_EQ(effect.arguments[1], (ObjectEffect{true, false}));
  EXPECT_EQ(effect.arguments[2], ObjectEffect());
}

TEST(Models, UsersExtendAndReplace) {
  Models models;
  ASSERT_TRUE(models.add("Socket::poll this=r\nstd::vector::size none\nmy::* 1=w\n", "mine"));
  EXPECT_EQ(models.effect(method("Socket::poll", false)).receiver, (ObjectEffect{true, false}));
  EXPECT_EQ(models.effect(method("std::vector::size", true)).receiver, ObjectEffect());
  Call call;
  call.name = Name("my::fill");
  EXPECT_EQ(models.effect(call).arguments.at(1), (ObjectEffect{false, true}));
}

TEST(Models, MistakesAreNamed) {
  Models models;
  EXPECT_THAT(models.add("# fine\nSocket::poll\n", "mine").error().message,
              HasSubstr("mine:2: 'Socket::poll' says nothing"));
  EXPECT_THAT(models.add("f this=x\n", "mine").error().message, HasSubstr("mine:1: 'this=x'"));
  EXPECT_THAT(models.add("f -1=r\n", "mine").error().message, HasSubstr("'-1=r'"));
}

}  // namespace
}  // namespace foretrace::lint
