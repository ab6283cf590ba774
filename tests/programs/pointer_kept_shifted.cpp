// Arrays whose elements count from another number than 0, so that their pointers lie in front of
// their memory. Each loop reads an element and then writes it, by one of these and by a usual one:
// so a thread goes on only if it saw what the first wrote under the lock.
// expect none
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <thread>

constexpr int kCount = 4096;
constexpr int kFar = 10000;
constexpr int kNear = 100;

struct Array {
  int* values;  // not where they are
};

static std::mutex mutex;
int far, near;
static int* order;

__attribute__((noinline)) static long write_shifted(const Array& to, const int* from,
                                                    const int* next) {
  long sum = 0;
  int* const values = to.values;
  for (int i = 0; i < kCount; ++i) {
    sum += from[next[i]];
    values[kFar + i] = 2;
  }
  return sum;
}

__attribute__((noinline)) static long read_shifted(int* to, const Array& from, const int* next) {
  long sum = 0;
  const int* const values = from.values;
  for (int i = 0; i < kCount; ++i) {
    sum += values[next[i] + kNear];
    to[i] = 2;
  }
  return sum;
}

static void far_write(int* cells) {
  usleep(100000);
  const Array shifted = {cells - kFar};
  long sum = 0;
  {
    const std::lock_guard guard(mutex);
    sum = write_shifted(shifted, cells, order);
  }
  if (sum == 1) far = 2;
}

static void near_read(int* cells) {
  usleep(100000);
  const Array shifted = {cells - kNear};
  long sum = 0;
  {
    const std::lock_guard guard(mutex);
    sum = read_shifted(cells, shifted, order);
  }
  if (sum == 1) near = 2;
}

int main() {
  int* const one = static_cast<int*>(std::calloc(kCount, 8));
  int* const other = static_cast<int*>(std::calloc(kCount, 8));
  order = static_cast<int*>(std::calloc(kCount, sizeof(int)));
  for (int i = 0; i < kCount; ++i) order[i] = i;
  std::thread first(far_write, one);
  std::thread second(near_read, other);
  far = near = 1;
  {
    const std::lock_guard guard(mutex);
    one[0] = other[0] = 1;
  }
  first.join();
  second.join();
}
