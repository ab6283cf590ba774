// Section 3.6.2: one thread, so no race.
#include <cstdio>

static int x = 0;

int main() {
  x = 42;
  std::printf("Hello: %d\n", x);
}
