// A function whose whole body is a transaction.
#include <thread>

static int counter;

static int read() __transaction_atomic { return counter; }
static void write(int value) __transaction_atomic { counter = value; }
static void add() __transaction_atomic { counter = counter + 1; }

static void run() {
  const int value = read();
  write(value + 1);  // EXPECT: RwW
  add();
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
