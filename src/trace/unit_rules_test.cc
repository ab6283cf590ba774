#include "trace/unit_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input.h"
#include "trace/stream.h"

namespace foretrace {
namespace {

UnitRules rules_of(std::string_view content) { return UnitRules::parse("units", content).value(); }

TEST(UnitRules, LastRuleThatMatchesCounts) {
  const UnitRules rules = rules_of("not Log::* *Cache*  # noise\n\natomic Log::flush\n");
  EXPECT_FALSE(rules.is_atomic("Log::write"));
  EXPECT_FALSE(rules.is_atomic("LruCache::get"));
  EXPECT_TRUE(rules.is_atomic("Log::flush"));
}

TEST(UnitRules, LabelsThatNoRuleMatchesAreAtomic) {
  EXPECT_TRUE(rules_of("").is_atomic("transfer"));
  EXPECT_TRUE(rules_of("not deposit").is_atomic("transfer"));
  EXPECT_FALSE(rules_of("not *\natomic deposit").is_atomic("transfer"));
}

TEST(UnitRules, SayWhatIsWrongWithALine) {
  EXPECT_EQ(UnitRules::parse("u.txt", "\natomc a\n").error().message,
            "u.txt:2: 'atomc' is no rule: write 'atomic PATTERN' or 'not PATTERN'");
  EXPECT_EQ(UnitRules::parse("u.txt", "not # a").error().message,
            "u.txt:1: 'not' without a pattern: write the labels that it is about, * is any");
}

TEST(UnitFilter, KeepsIndexesAndTheEndsOfWaits) {
  constexpr const char* kTrace =
      "acq 1 l\nwait 1 l\nacq 2 l\nnotify 2 l\nrel 2 l\nbeg 1 a\nwr 1 x\nend 1 a\nrel 1 l\n";
  StreamOptions options;
  options.units = std::make_shared<const UnitRules>(rules_of("not a"));
  const Trace trace =
      load_trace(open_trace(memory_input("t", kTrace).value(), "tiddle").value(), options).value();
  EXPECT_EQ(trace.events[5].op(), Op::skip);
  EXPECT_EQ(trace.events[7].op(), Op::skip);
  EXPECT_EQ(trace.events[6].op(), Op::wr);
  EXPECT_EQ(trace.events[6].resumes, 1) << "the wait ends with the first event that is left";
}

}  // namespace
}  // namespace foretrace
