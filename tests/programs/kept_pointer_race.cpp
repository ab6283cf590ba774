// Pointers to locals that one of the functions they are handed to keeps after all: at the end
// of a chain, in a recursion, by a result, in another object.
// expect race: data-race *::in_chain
// expect race: data-race *::in_recursion
// expect race: data-race *::by_result
// expect race: data-race *::in_object
// compilers: plugin
#include <thread>

static int* kept[3];

__attribute__((noinline)) static void keep(int* pointer) { kept[0] = pointer; }
__attribute__((noinline)) static void hand_on(int* pointer) {
  *pointer = 1;
  keep(pointer);
}

__attribute__((noinline)) static void go_down(int* pointer, int depth) {
  if (depth == 0) {
    kept[1] = pointer;
  } else {
    go_down(pointer, depth - 1);
  }
}

__attribute__((noinline)) static int* same(int* pointer) { return pointer; }

struct Holder {
  int* held = nullptr;
  __attribute__((noinline)) void hold(int& number) { held = &number; }
};

// Members have names where locals have none.
struct A {
  int in_chain = 0;
};
struct B {
  int in_recursion = 0;
};
struct C {
  int by_result = 0;
};
struct D {
  int in_object = 0;
};

int main() {
  A a;
  B b;
  C c;
  D d;
  hand_on(&a.in_chain);
  go_down(&b.in_recursion, 3);
  kept[2] = same(&c.by_result);
  auto* const holder = new Holder;
  holder->hold(d.in_object);
  std::thread other([=] {
    for (int* const pointer : kept) *pointer = 2;
    *holder->held = 2;
  });
  a.in_chain = 3;
  b.in_recursion = 3;
  c.by_result = 3;
  d.in_object = 3;
  other.join();
  const int sum = a.in_chain + b.in_recursion + c.by_result + d.in_object;
  delete holder;
  return sum < 8;
}
