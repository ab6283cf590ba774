// Section 3.6.6: the same race, spread over classes in files of their own.
#pragma once

#include <thread>

namespace multi {

struct Main {
  static int x;
};

class Printer {
 public:
  void print(const int& message);
};

class RunMe {
 public:
  void run();
};

class MyThread {
 public:
  explicit MyThread(RunMe& runnable) : runnable_(runnable) {}
  void start();
  void join() { thread_.join(); }

 private:
  RunMe& runnable_;
  std::thread thread_;
};

}  // namespace multi
