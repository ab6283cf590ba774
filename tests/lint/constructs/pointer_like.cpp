// What smart pointers, iterators and optionals lead to is as private as they are.
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

struct Counter {
  int value = 0;
};

class Holder {
 public:
  void add() { held->value++; }

 private:
  std::unique_ptr<Counter> held = std::make_unique<Counter>();
};

static std::shared_ptr<Counter> shared = std::make_shared<Counter>();

static void own() {
  auto unique = std::make_unique<Counter>();
  unique->value++;
  (*unique).value++;
  auto counted = std::make_shared<Counter>();
  counted->value++;
  std::optional<Counter> optional = Counter();
  optional->value++;
  optional.value().value++;
  (*optional).value++;
  Holder holder;
  holder.add();
  std::vector<Counter> many(3);
  for (auto each = many.begin(); each != many.end(); ++each) each->value++;
  std::map<int, Counter> named;
  if (const auto found = named.find(1); found != named.end()) found->second.value++;
}

static void work() {
  own();
  shared->value++;  // EXPECT: data-race
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
}
