#include "trace/symbols.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace foretrace {
namespace {

// Names a number by how many were made before it.
class Counting : public NameMaker {
 public:
  explicit Counting(uint32_t& made) : made_(made) {}
  std::string make(uint32_t id) override {
    EXPECT_EQ(id, made_);
    ++made_;
    return "x" + std::to_string(id);
  }

 private:
  uint32_t& made_;
};

TEST(NameTable, MakesNamesInOrderWhenAsked) {
  uint32_t made = 0;
  NameTable names;
  names.leave_to(std::make_unique<Counting>(made));
  for (uint32_t id = 0; id < 1000; ++id) EXPECT_EQ(names.append_later(), id);
  EXPECT_EQ(names.size(), 1000U);
  EXPECT_EQ(made, 0U);
  EXPECT_EQ(names[700], "x700");
  EXPECT_EQ(made, 701U);
  EXPECT_EQ(names[3], "x3");
  EXPECT_EQ(made, 701U);
}

TEST(NameTable, MakesNamesWhileOthersAreAppended) {
  uint32_t made = 0;
  NameTable names;
  names.leave_to(std::make_unique<Counting>(made));
  constexpr uint32_t kNames = 20'000;
  std::vector<std::thread> readers;
  for (uint32_t reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      for (uint32_t id = 0; id < kNames;) {
        if (id >= names.size()) continue;
        EXPECT_EQ(names[id], "x" + std::to_string(id));
        id += 7;
      }
    });
  }
  for (uint32_t id = 0; id < kNames; ++id) names.append_later();
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace foretrace
