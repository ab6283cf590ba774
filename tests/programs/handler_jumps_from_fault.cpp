// An atomic operation that faults is left by siglongjmp(), from a stack of the handler's own. The
// next thread that wants the same lock of the recorder gets it.
// expect none
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <sys/mman.h>

static sigjmp_buf before;
static std::atomic<long> atoms[4096];  // with all locks

static void leave(int) { siglongjmp(before, 1); }

// A jump that stays in the handler leaves nothing.
static void jump_inside(int) {
  sigjmp_buf here;
  if (sigsetjmp(here, 0) == 0) siglongjmp(here, 1);
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

int main() {
  void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* const unwritable = static_cast<std::atomic<long>*>(page);
  stack_t stack = {};
  stack.ss_size = 1 << 16;
  stack.ss_sp = std::malloc(stack.ss_size);
  sigaltstack(&stack, nullptr);
  handle(SIGSEGV, leave);
  handle(SIGUSR1, jump_inside);
  for (volatile int i = 0; i < 20; ++i) {
    if (sigsetjmp(before, 1) == 0) unwritable->fetch_add(1);
    raise(SIGUSR1);
  }
  std::thread([] {
    for (auto& atom : atoms) atom.fetch_add(1);
  }).join();
  return atoms[0].fetch_add(1) != 1;
}
