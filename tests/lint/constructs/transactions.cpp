// The forms of transactions: blocks, expressions, functions, nested ones.
#include <thread>

static int block, expression, nested, function, relaxed;

static int get() __attribute__((transaction_safe));
static int get() { return function; }

static void run() {
  int value;
  __transaction_atomic { value = block; }
  __transaction_atomic { block = value + 1; }  // EXPECT: RwW

  value = __transaction_atomic(expression);
  __transaction_atomic { expression = value + 1; }  // EXPECT: RwW

  __transaction_relaxed { value = relaxed; }
  __transaction_relaxed { relaxed = value + 1; }  // EXPECT: RwW

  // One block: what is inside of it does not end it.
  __transaction_atomic {
    __transaction_atomic { value = nested; }
    __transaction_atomic { nested = value + 1; }
    function = get() + 1;
  }
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
