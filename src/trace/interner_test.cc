#include "trace/interner.h"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace foretrace {
namespace {

// Whatever route a name takes inside, equal names and only they have one number.
RC_GTEST_PROP(Interner, EqualNamesAndOnlyTheyHaveOneNumber, ()) {
  const auto number =
      rc::gen::map(rc::gen::oneOf(rc::gen::inRange(0, 20), rc::gen::inRange(0, 100000),
                                  rc::gen::inRange(0, INT32_MAX)),
                   [](int value) { return std::to_string(value); });
  const auto name = rc::gen::apply(
      [](const std::string& front, const std::string& digits, const std::string& back) {
        return front + digits + back;
      },
      rc::gen::element<std::string>("", "V", "T", "V0", "ab", "-", std::string(1, '\0'), "\xFF"),
      rc::gen::oneOf(number, rc::gen::just(std::string())),
      rc::gen::element<std::string>("", "", "", "x", " "));
  NameTable table;
  Interner interner(table);
  std::map<std::string, uint32_t> expected;
  for (const std::string& word : *rc::gen::container<std::vector<std::string>>(name)) {
    const uint32_t id = interner.intern(word);
    const auto known = expected.try_emplace(word, static_cast<uint32_t>(expected.size())).first;
    RC_ASSERT(id == known->second);
    RC_ASSERT(table[id] == word);
    RC_ASSERT(interner.intern(word) == id);
  }
}

TEST(Interner, NumbersThatTheArrayGrowsToKeepTheirId) {
  NameTable table;
  Interner interner(table);
  const uint32_t far = interner.intern("V50000");  // too far away for the array at first
  for (int i = 0; i < 10000; ++i) interner.intern("V" + std::to_string(i));
  EXPECT_EQ(interner.intern("V50000"), far);
  EXPECT_EQ(interner.find('V', 50000), far + 1);
  EXPECT_EQ(table.size(), 10001U);
}

TEST(ParseSite, TakesFilesLinesAndColumns) {
  const auto parsed = [](std::string_view text) {
    const SiteText site = parse_site(text);
    return fmt::format("{}|{}|{}", site.file, site.line, site.column);
  };
  EXPECT_EQ(parsed("12"), "|12|0");
  EXPECT_EQ(parsed("a.c:12"), "a.c|12|0");
  EXPECT_EQ(parsed("a.c:12:7"), "a.c|12|7");
  EXPECT_EQ(parsed("c:/a.c:12"), "c:/a.c|12|0");
  EXPECT_EQ(parsed("a.c"), "a.c|0|0");
  EXPECT_EQ(parsed("a.c:0"), "a.c:0|0|0");
  EXPECT_EQ(parsed("a.c:-5"), "a.c:-5|0|0");
  EXPECT_EQ(parsed("99999999999"), "99999999999|0|0");
  EXPECT_EQ(parsed(""), "|0|0");
}

TEST(TextSymbols, OnePlaceIsOneSite) {
  Symbols symbols;
  TextSymbols text(symbols);
  EXPECT_EQ(text.intern_site(""), kNoSite);
  const SiteId site = text.intern_site("a.c:12");
  EXPECT_EQ(text.intern_site("a.c:12"), site);
  EXPECT_EQ(text.intern_site("a.c:012"), site);
  EXPECT_NE(text.intern_site("a.c:13"), site);
  EXPECT_EQ(text.find_line(7), kNoSite);
  const SiteId line = text.intern_site("7");
  EXPECT_EQ(text.find_line(7), line);
  EXPECT_EQ(symbols.site_text(line), "7");
}

}  // namespace
}  // namespace foretrace
