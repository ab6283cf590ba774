// Objects that each thread has for itself: what the loop that starts it gives to it, and
// what that points to if it was allocated for it.
#include <cstdlib>
#include <thread>
#include <vector>

struct Stats {
  void start() { done = 0; }
  long done = 0;
};

struct State {
  Stats stats;
};

struct Argument {
  State* state;
  State* common;
  State* either;
  int number;
};

State everybodys;

void work(void* given) {
  Argument* argument = static_cast<Argument*>(given);
  State* state = argument->state;
  state->stats.start();  // its own, behind a second pointer
  argument->number += 1;
  // EXPECT-NEXT: data-race wr with wr #either
  argument->common->stats.done = 1;  //#first  EXPECT: data-race wr with wr #first
  argument->either->stats.done = 1;  //#either EXPECT: data-race wr with wr #either
}

void start(void (*function)(void*), void* argument, std::vector<std::thread>& threads) {
  threads.emplace_back(function, argument);
}

int main(int count, char**) {
  Argument* arguments = new Argument[static_cast<size_t>(count)];
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    arguments[i].state = new State;
    start(work, &arguments[i], threads);
  }
  for (int i = 0; i < count; ++i) {
    arguments[i].common = &everybodys;  // EXPECT: data-race wr with rd #first
    arguments[i].either = new State;    // EXPECT: data-race wr with rd #either
    if (i == 0) arguments[i].either = &everybodys;  // EXPECT: data-race wr with rd #either
  }
  for (std::thread& thread : threads) thread.join();
}
