// Each kind of thread entry: function, method, lambda, functor, jthread, async.
#include <functional>
#include <future>
#include <thread>

static int in_function, in_lambda, in_async, in_jthread;

static void function() {
  in_function++;  //#function EXPECT: data-race rd with wr #function; data-race wr with wr #function
}

class Worker {
 public:
  void run() {
    count_++;  //#method EXPECT: data-race rd with wr #method; data-race wr with wr #method
  }
  void operator()() {
    calls_++;  //#functor EXPECT: data-race rd with wr #functor; data-race wr with wr #functor
  }

 private:
  int count_ = 0;
  int calls_ = 0;
};

int main() {
  Worker worker;
  std::thread f1(function), f2(function);
  std::thread m1(&Worker::run, &worker), m2(&Worker::run, &worker);
  std::thread o1(std::ref(worker)), o2(std::ref(worker));
  int local = 0;
  auto lambda = [&local] {
    in_lambda = 1;  //#lambda EXPECT: data-race wr with wr #lambda
    local = 2;      //#local EXPECT: data-race wr with wr #local
  };
  std::thread l1(lambda), l2(lambda);
  auto future = std::async(std::launch::async, [] {
    in_async = 1;  //#async
  });
  in_async = 2;  // EXPECT: data-race wr with wr #async
  future.get();
  in_async = 3;
  {
    std::jthread j([] {
      in_jthread = 1;  //#jthread
    });
    in_jthread = 2;  // EXPECT: data-race wr with wr #jthread
  }
  in_jthread = 3;
  f1.join();
  f2.join();
  m1.join();
  m2.join();
  o1.join();
  o2.join();
  l1.join();
  l2.join();
  return local + in_lambda + in_function;
}
