// A task is done at any time up to a taskwait of who made it, the end of a taskgroup or the
// next barrier.
// FLAGS: -fopenmp
#include <omp.h>

#include <vector>

static int twice, after, waited, grouped, many, ordered, total, rounds;

static int fib(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

static int hasty_fib(int n) {
  int x = 0, y = 0;
  if (n < 2) return n;
#pragma omp task shared(x)
  x = hasty_fib(n - 1);  //#x
#pragma omp task shared(y)
  y = hasty_fib(n - 2);  //#y
  return x + y;          // EXPECT: data-race rd with wr #x; data-race rd with wr #y
}

struct Node {
  Node *left, *right;
  int value;
};

static void walk(Node* node) {
  if (node == nullptr) return;
#pragma omp task
  walk(node->left);
#pragma omp task
  walk(node->right);
  total += node->value;  //#total EXPECT: data-race rd with wr #total; data-race wr with wr #total
}

static void add_one(std::vector<int>& values, int i) { values[i]++; }

int main() {
  int result = 0;
  std::vector<int> values(100);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    twice = 1;  //#twice
#pragma omp task
    twice = 2;  // EXPECT: data-race wr with wr #twice
#pragma omp taskwait
    twice = 3;
#pragma omp task
    after = 1;  //#after
    after = 2;  // EXPECT: data-race wr with wr #after
    int left, right;
#pragma omp task shared(left)
    left = 1;
#pragma omp task shared(right)
    right = 2;
#pragma omp taskwait
    waited = left + right;
#pragma omp taskgroup
    {
#pragma omp task
      grouped = 1;
    }
    grouped = 2;
    for (int i = 0; i < 10; i++) {
#pragma omp task
      many += i;  //#many EXPECT: data-race rd with wr #many; data-race wr with wr #many
    }
#pragma omp task depend(out : ordered)
    ordered = 1;
#pragma omp task depend(in : ordered)
    waited = ordered;
  }
  many = 0;
#pragma omp parallel
#pragma omp single nowait
  result = fib(10) + hasty_fib(10);
#pragma omp parallel
#pragma omp master
  walk(nullptr);
#pragma omp parallel for
  for (int i = 0; i < 100; i++) add_one(values, i);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < 100; i++) {
    values[i] = i;
    rounds += i;  //#rounds EXPECT: data-race rd with wr #rounds; data-race wr with wr #rounds
  }
  return result + waited;
}
