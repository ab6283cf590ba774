// A short loop that the compiler unrolls, and another thread that has one of its
// elements: what is made one record is still found.
// expect race: data-race *
#include <thread>
#include <vector>

static void fill(std::vector<long>& cells) {
  for (int i = 0; i < 8; ++i) cells[static_cast<unsigned>(i)] = i;
}

int main() {
  std::vector<long> cells(8);
  std::thread filler(fill, std::ref(cells));
  std::thread other([&] { cells[5] = 1; });
  filler.join();
  other.join();
  return cells[0] == 0 ? 0 : 1;
}
