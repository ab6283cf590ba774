// Words for transactions behind macros, with attributes, around initialisers and handlers,
// and those that cancel.
#include <thread>

#define ATOMIC __transaction_atomic
#define ATOMICALLY(body) \
  __transaction_atomic { body }
#define VALUE_OF(x) __transaction_atomic(x)

static int behind, inside, expression, made, ended, handled, outer, cancelled, named;

struct Counted {
  int before;
  Counted() __transaction_atomic : before{made} { made = before + 1; }
  explicit Counted(int) : before(0) {
    __transaction_atomic { before = made; }
    __transaction_atomic { made = before + 1; }  // EXPECT: RwW
  }
  ~Counted() {
    int value;
    __transaction_relaxed { value = ended; }
    __transaction_relaxed { ended = value + 1; }  // EXPECT: RwW
  }
};

static void handle() __transaction_relaxed try {
  handled++;
} catch (...) {
  handled = 0;
}

static void add_named(int value) ATOMIC { named += value; }
static int get_named() ATOMIC { return named; }

static void run() {
  int value = 0;
  ATOMIC { value = behind; }
  ATOMIC { behind = value + 1; }  // EXPECT: RwW

  ATOMICALLY(value = inside;)
  ATOMICALLY(inside = value + 1;)  // EXPECT: RwW

  value = VALUE_OF(expression);
  value += ATOMIC(expression);
  ATOMIC { expression = value + 1; }  // EXPECT: RwW

  __transaction_atomic [[outer]] {
    outer++;
    if (outer > 3) __transaction_cancel [[outer]];
    outer++;
  }
  __transaction_atomic {
    cancelled++;
    if (cancelled > 3) __transaction_cancel;
  }
  add_named(1);
  named = get_named();  // EXPECT: data-race
}

int main() {
  const auto work = [] {
    Counted one;
    Counted two(1);
    handle();
    run();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
