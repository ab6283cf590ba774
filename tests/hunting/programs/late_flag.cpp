// A worker looks at a flag once, when it starts; main sets it while the worker
// prepares itself.
// observed within 60 runs: data-race stop
#include <chrono>
#include <thread>

bool stop = false;
long done = 0;

int main() {
  std::thread worker([] {
    for (int i = 0; i < 1000; ++i) done += i;
    if (!stop) ++done;
  });
  stop = true;
  worker.join();
  return done < 499500;
}
