// Two files of one name, each with a variable and a function of its own.
#include <thread>

void run_left();
void run_right();

int main() {
  std::thread left(run_left), right(run_right);
  left.join();
  right.join();
}
