// Functions get pointers to locals that stay with their thread, some of them in recursion; and
// the same functions get pointers to what is shared, with a lock.
// expect none
#include <mutex>
#include <thread>
#include <vector>

struct Tree {
  int value = 1;
  Tree* left = nullptr;
  Tree* right = nullptr;

  void add_to(long& sum, int depth) const {
    sum += value;
    if (depth > 0 && left != nullptr) left->add_to(sum, depth - 1);
    if (depth > 0 && right != nullptr) right->add_to(sum, depth - 1);
  }
};

struct Range {
  long low = 0;
  long high = 0;
  __attribute__((noinline)) void grow(long by) { high += by; }
};

__attribute__((noinline)) static void swap_ends(Range* range, long* spare) {
  *spare = range->low;
  range->low = range->high;
  range->high = *spare;
}

static std::vector<Tree> trees(64);
static std::mutex mutex;
static Range all;
static long total = 0;
static long spare = 0;

static void work(long number) {
  long sum = 0;
  trees[0].add_to(sum, 8);
  Range range;
  for (long i = 0; i < 3; ++i) range.grow(sum + i);
  long kept = number;
  swap_ends(&range, &kept);
  const std::lock_guard<std::mutex> lock(mutex);
  trees[0].add_to(total, 8);
  all.grow(range.low);
  swap_ends(&all, &spare);
}

int main() {
  for (size_t i = 1; i < trees.size(); ++i) {
    (i % 2 == 1 ? trees[(i - 1) / 2].left : trees[(i - 1) / 2].right) = &trees[i];
  }
  std::thread first(work, 1);
  std::thread second(work, 2);
  first.join();
  second.join();
  return total != 2 * 64;
}
