#include "lint/archive.h"

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

Summary small_summary() {
  Summary summary;
  summary.main_file = "/a/bank.cpp";
  summary.inputs = {{"/a/bank.cpp", 0xFFFFFFFFFFFFFFFF, 40}};
  Function& function = summary.functions.emplace_back();
  function.usr = Name("c:@F@deposit#");
  function.name = "deposit";
  Op op;
  op.id = 3;
  op.position = {Name("/a/bank.cpp"), 12, 5};
  const Path balance{
      Path::Root::parameter,
      0,
      {},
      {{Step::Kind::deref, Name("Account")}, {Step::Kind::field, Name("Account::balance")}}};
  op.held = {{balance, true, LockKind::transaction, kFromCaller}};
  op.uses = {{Token::Kind::op, 2}};
  op.what = Access{balance, true, false, false, Name("int")};
  Op call;
  call.id = 4;
  call.what = Call{Name("c:f"), Name("f"), true, false, true, false, {}, {}, {Value{}}, {true}};
  function.blocks.push_back({{op, call}, {1}, {}, {}, {}, true});
  function.blocks.emplace_back();
  return summary;
}

TEST(LintArchive, ReadsWhatItWrote) {
  const std::string bytes = to_bytes(small_summary());
  const Result<Summary> read = summary_from_bytes(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_bytes(*read), bytes);
  const Op& op = read->functions.at(0).blocks.at(0).ops.at(0);
  ASSERT_NE(op.as<Access>(), nullptr);
  EXPECT_EQ(op.as<Access>()->path.steps.at(1).name, Name("Account::balance"));
  EXPECT_EQ(op.held.at(0).acquired_by, kFromCaller);
  EXPECT_EQ(op.position.line, 12U);
  EXPECT_TRUE(read->functions[0].blocks[0].ops.at(1).as<Call>()->argument_is_const.at(0));
}

TEST(LintArchive, HeadIsReadAlone) {
  const Result<Summary> head = summary_head(to_bytes(small_summary()));
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->main_file, "/a/bank.cpp");
  ASSERT_EQ(head->inputs.size(), 1U);
  EXPECT_EQ(head->inputs[0].hash, 0xFFFFFFFFFFFFFFFF);
  EXPECT_EQ(head->inputs[0].lines, 40U);
  EXPECT_TRUE(head->functions.empty());
}

TEST(LintArchive, RefusesEveryDamage) {
  const std::string bytes = to_bytes(small_summary());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_FALSE(summary_from_bytes(damaged)) << "byte " << i;
    EXPECT_FALSE(summary_head(damaged)) << "byte " << i;
    EXPECT_FALSE(summary_from_bytes(std::string_view(bytes).substr(0, i))) << "cut at " << i;
  }
}

}  // namespace
}  // namespace foretrace::lint
