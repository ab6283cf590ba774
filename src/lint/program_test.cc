#include "lint/program.h"

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

// A program of one function that others call, with one parameter of which nothing is known
// but this type.
Program with_parameter(const char* type) {
  Function function;
  function.usr = Name("c:@F@f");
  function.name = "f";
  function.is_external = true;
  function.parameters.push_back({"p", Name(type), true});
  function.blocks.emplace_back();
  Summary summary;
  summary.functions.push_back(std::move(function));
  std::vector<Summary> summaries;
  summaries.push_back(std::move(summary));
  return Program(std::move(summaries));
}

std::string text_of_field(const char* type, const char* field) {
  const Program program = with_parameter(type);
  const Path path{Path::Root::parameter,
                  0,
                  {},
                  {{Step::Kind::deref, Name(type)}, {Step::Kind::field, Name(field)}}};
  const std::vector<LocationId> found = program.locations(program.threads()[0].root, path);
  return found.size() == 1 ? program.text(found[0]) : "";
}

TEST(ProgramText, AClassThatIsKnownOnlyByItsTypeHasItsName) {
  EXPECT_EQ(text_of_field("ns::Account", "ns::Account::balance"), "Account.balance");
}

TEST(ProgramText, OfMemoryWithoutAClassTheFieldSaysWhatItIsPartOf) {
  EXPECT_EQ(text_of_field("void *", "ns::Node::next"), "Node.next");
}

TEST(ProgramIndistinct, NumbersAndLibraryTypesBehindUnknownPointersAre) {
  for (const char* const type : {"char", "unsigned int", "std::basic_string"}) {
    const Program program = with_parameter(type);
    const Path path{Path::Root::parameter, 0, {}, {{Step::Kind::deref, Name(type)}}};
    const std::vector<LocationId> found = program.locations(program.threads()[0].root, path);
    ASSERT_EQ(found.size(), 1U) << type;
    EXPECT_TRUE(program.indistinct(found[0])) << type;
  }
}

TEST(ProgramIndistinct, ObjectsOfTheProgramsClassesAreNot) {
  const Program program = with_parameter("ns::Account");
  const Path path{Path::Root::parameter, 0, {}, {{Step::Kind::deref, Name("ns::Account")}}};
  EXPECT_FALSE(program.indistinct(program.locations(program.threads()[0].root, path).at(0)));
}

}  // namespace
}  // namespace foretrace::lint
