// What a list of initialisers puts into an object goes to its fields; objects without a name
// are the thread's own, and what is in them is what they were made of. Members of a union are one.
#include <memory>
#include <thread>
#include <vector>

struct Counter {
  int count = 0;
  Counter& add(int number) {
    count += number;
    return *this;
  }
};

struct Argument {
  int unused;
  Counter* counter;
  void add() {
    counter->count++;  //#same EXPECT: data-race rd with wr #same; data-race wr with wr #same
  }
  void add_own() { counter->count++; }
};

union Number {
  int whole;
  float real;
};
Number number_of_both;

struct Task {
  int& number;
  void operator()() {
    number++;  //#number EXPECT: data-race rd with wr #number; data-race wr with wr #number
  }
};

Argument wrap(Counter* counter) { return {1, counter}; }
Argument wrapped(Counter* counter) {
  Argument made;
  made.counter = counter;
  return made;
}

void add_through(Argument* argument) { wrap(argument->counter).add(); }

void keep(const std::shared_ptr<Counter>& counter) { counter->count++; }

Counter make() { return {}; }

void write_whole() {
  number_of_both.whole = 1;  //#whole
}
void write_real() {
  number_of_both.real = 2;  // EXPECT: data-race wr with wr #whole
}

void use_own() {
  Counter{}.add(1);
  Counter().add(1).add(2);
  make().add(3);
  Counter mine;
  wrapped(&mine).add_own();
  Argument{2, &mine}.add_own();
  keep(std::make_shared<Counter>());
}

int main() {
  Counter same, one, another;
  Argument first{1, &same}, second = {2, &same};
  Argument third{3, &one};
  Argument* const fourth = new Argument{4, &another};
  int number = 0;
  std::thread a(&Argument::add, &first), b(add_through, &second);
  std::thread c(&Argument::add_own, &third), d(&Argument::add_own, fourth);
  std::thread e(Task{number}), f(Task{number});
  std::thread g(use_own), h(use_own), i(write_whole), j(write_real);
  for (std::thread* thread : {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j}) thread->join();
  delete fourth;
}
