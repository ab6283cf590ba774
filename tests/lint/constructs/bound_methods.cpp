// What std::bind and std::mem_fn make, as what threads run and as what algorithms call; and
// joins that an algorithm does.
#include <algorithm>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

static int run_, step_, function_, each_, method_, ranged_, after;

struct Worker {
  void run() { run_ = 1; }        //#run EXPECT: data-race wr with wr #run
  void step(int n) { step_ = n; }  //#step EXPECT: data-race wr with wr #step
  void safe() {
    std::lock_guard<std::mutex> guard(mutex);
    count++;
  }
  void visit() { method_ = 1; }  //#method EXPECT: data-race wr with wr #method
  std::mutex mutex;
  int count = 0;
};

static void function(int n) { function_ = n; }  //#function EXPECT: data-race wr with wr #function
static void each(int& value) { each_ = value; }  //#each EXPECT: data-race wr with wr #each

static void algorithms() {
  static std::vector<int> values(3);
  static Worker workers[3];
  std::for_each(values.begin(), values.end(), each);
  std::for_each(std::begin(workers), std::end(workers), std::mem_fn(&Worker::visit));
  std::ranges::for_each(values, [](int value) {
    ranged_ = value;  //#ranged EXPECT: data-race wr with wr #ranged
  });
}

int main() {
  Worker worker;
  std::vector<std::thread> threads;
  threads.emplace_back(std::mem_fn(&Worker::run), &worker);
  threads.emplace_back(std::bind(&Worker::run, &worker));
  std::for_each(threads.begin(), threads.end(), std::mem_fn(&std::thread::join));
  run_ = 2;

  auto bound = std::bind(&Worker::step, &worker, 3);
  auto method = std::mem_fn(&Worker::safe);
  std::function<void()> kept = std::bind(function, 1);
  std::vector<std::thread> others;
  for (int i = 0; i < 2; i++) {
    others.emplace_back(bound);
    others.emplace_back(method, &worker);
    others.emplace_back(kept);
    others.emplace_back(algorithms);
  }
  others.emplace_back([] { after = 1; });
  std::ranges::for_each(others, &std::thread::join);
  after = 2;
  return worker.count + step_ + function_;
}
