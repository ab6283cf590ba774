// Children of a process whose other threads are at whatever the recorder does with locks of its own.
// A child that hangs is ended by SIGALRM.
// expect none
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

static std::atomic<bool> stop;

static void start_threads() {
  while (!stop) std::thread([] {}).join();
}

static void allocate() {
  while (!stop) std::free(std::malloc(30'000));
}

static int child() {
  alarm(10);
  std::thread([] { std::free(std::malloc(20'000)); }).join();
  return 0;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(start_threads);
  threads.emplace_back(allocate);
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const pid_t forked = fork();
    if (forked == 0) _exit(child());
    int status = 0;
    waitpid(forked, &status, 0);
    wrong += status != 0;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return wrong != 0;
}
