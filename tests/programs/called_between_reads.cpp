// A call between two reads of one object reads what the first of them has found: it is behind that
// one. Were it in front, another thread could still be writing there.
// expect none
#include <mutex>
#include <thread>

struct Item {
  long value = 0;
};
struct Box {
  const Item* first = nullptr;
  const Item* second = nullptr;
};
static Item item;
static Box box;
static std::mutex mutex;

// LLVM knows that it does not synchronise.
__attribute__((noinline)) long value_of(const Item* one) { return one == nullptr ? 0 : one->value; }

__attribute__((noinline)) long sum_of(const Box& both) {
  const long value = value_of(both.first);
  return value + (both.second != nullptr ? 1 : 0);
}

int main() {
  std::thread writer([] {
    item.value = 5;
    const std::scoped_lock lock(mutex);
    box.first = &item;
  });
  long sum = 0;
  std::thread reader([&] {
    while (sum == 0) {
      {
        const std::scoped_lock lock(mutex);
        sum = sum_of(box);
      }
      if (sum == 0) std::this_thread::yield();
    }
  });
  writer.join();
  reader.join();
  return sum != 5;
}
