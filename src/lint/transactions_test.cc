#include "lint/transactions.h"

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

std::string rewritten(std::string_view source) {
  return rewrite_transactions(source).value_or("(no transaction)");
}

TEST(LintTransactions, BlocksKeepLinesAndColumns) {
  EXPECT_EQ(rewritten("__transaction_atomic { x++; }"), "{__FT_TM__;            x++; }");
  EXPECT_EQ(rewritten("__transaction_relaxed\n{ x++; }"), "{__FT_TM__;          \n  x++; }");
  EXPECT_EQ(rewritten("f(); synchronized { x++; }"), "f(); {__FT_TM__;    x++; }");
  EXPECT_EQ(rewritten("; atomic_noexcept{ x++; }"), "; {__FT_TM__;      x++; }");
  EXPECT_EQ(rewritten("__transaction_atomic [[outer]] { }"), "{__FT_TM__;                      }");
}

TEST(LintTransactions, FunctionsAndExpressions) {
  EXPECT_EQ(rewritten("int f() __transaction_atomic { return x; }"),
            "int f() {__FT_TM__;            return x; }");
  EXPECT_EQ(rewritten("y = __transaction_atomic (x + 1);"), "y = __FT_TM_EXPR         (x + 1);");
}

TEST(LintTransactions, InitialisersAndHandlersAreInside) {
  EXPECT_EQ(rewritten("S::S() __transaction_atomic : x{1} { }"),
            "S::S() __FT_FN__            : x{1} { }");
  EXPECT_EQ(rewritten("void f() __transaction_relaxed try { } catch (...) { }"),
            "void f() __FT_FN__             try { } catch (...) { }");
}

TEST(LintTransactions, Cancel) {
  EXPECT_EQ(rewritten("if (x) __transaction_cancel [[outer]];"),
            "if (x) __transaction_cancel          ;");
  EXPECT_EQ(rewritten("__transaction_cancel throw 1;"), "                     throw 1;");
  EXPECT_FALSE(rewrite_transactions("__transaction_cancel;"));
}

TEST(LintTransactions, Macros) {
  EXPECT_EQ(rewritten("#define T(x) __transaction_atomic { x; }\n"),
            "#define T(x) {__FT_TM__;            x; }\n");
  EXPECT_EQ(rewritten("#define T(x) \\\n  __transaction_atomic \\\n  { x; }\n"),
            "#define T(x) \\\n  {__FT_TM__;          \\\n    x; }\n");
  EXPECT_EQ(rewritten("#define ATOMIC __transaction_atomic\nvoid f() ATOMIC { y = ATOMIC(x); }"),
            "#define ATOMIC __transaction_atomic\nvoid f() {__FT_;  y = __FTX (x); }");
}

TEST(LintTransactions, OnlyWhereItIsMeant) {
  EXPECT_FALSE(rewrite_transactions("int synchronized{0};"));
  EXPECT_FALSE(rewrite_transactions("// __transaction_atomic { }"));
  EXPECT_FALSE(rewrite_transactions("s = \"__transaction_atomic {\";"));
  EXPECT_FALSE(rewrite_transactions("s = R\"x(\")\" __transaction_atomic { )x\";"));
  EXPECT_FALSE(rewrite_transactions("my__transaction_atomic {"));
  EXPECT_EQ(rewritten("n = 1'000; __transaction_atomic { c = '{'; }"),
            "n = 1'000; {__FT_TM__;            c = '{'; }");
}

}  // namespace
}  // namespace foretrace::lint
