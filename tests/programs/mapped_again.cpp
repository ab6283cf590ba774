// Memory that one thread gives back to the kernel and another one gets is not the same.
// expect none
#include <sys/mman.h>

#include <thread>

static void work() {
  for (int i = 0; i < 200; ++i) {
    void* const memory =
        mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* const numbers = static_cast<volatile int*>(memory);
    for (int k = 0; k < 64; ++k) numbers[k] = numbers[k] + i;
    munmap(memory, 8192);
  }
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
}
