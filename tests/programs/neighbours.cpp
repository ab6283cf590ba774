// Neighbouring fields and bytes are different locations.
// expect none
#include <thread>

struct Pair {
  int left = 0;
  int right = 0;
};
Pair pair;
char letters[4];

int main() {
  std::thread first([] {
    pair.left = 1;
    letters[0] = 'a';
    letters[2] = 'c';
  });
  std::thread second([] {
    pair.right = 2;
    letters[1] = 'b';
    letters[3] = 'd';
  });
  first.join();
  second.join();
  return pair.left + pair.right != 3;
}
