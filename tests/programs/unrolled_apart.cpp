// The same where the other thread's element is behind what the loop writes.
// expect none
#include <thread>
#include <vector>

static void fill(std::vector<long>& cells) {
  for (int i = 0; i < 8; ++i) cells[static_cast<unsigned>(i)] = i;
}

int main() {
  std::vector<long> cells(9);
  std::thread filler(fill, std::ref(cells));
  std::thread other([&] { cells[8] = 1; });
  filler.join();
  other.join();
  return cells[0] == 0 ? 0 : 1;
}
