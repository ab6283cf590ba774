// Atomic sections whose disturbance is arranged: the thread in the section lets the
// other one make its access at a known moment. The argument names the scenario.
// Markers: ENTRY section access [function], END section access allowed [function],
// EXIT section.
#include <semaphore.h>

#include <cstdio>
#include <cstring>
#include <thread>

int x = 0;
int y = 0;
sem_t go;
sem_t done;
const char* scenario = "";
char plan = 'w';  // what the other thread does when it is let in

bool is(const char* name) { return std::strcmp(scenario, name) == 0; }

// The other thread makes one access, and has come by another hook when this returns.
void let_in(char what) {
  plan = what;
  sem_post(&go);
  sem_wait(&done);
}

void other() {
  for (;;) {
    sem_wait(&go);
    if (plan == 'q') return;
    if (plan == 'r') std::printf("%d\n", x);
    if (plan == 'w') x = 7;
    sem_post(&done);
  }
}

void two_ends(bool first, char what) {
  const int seen = x;  // ENTRY two_ends read
  let_in(what);
  if (first) {
    x = seen + 1;  // END two_ends write read
  } else {
    x = seen + 2;  // END two_ends write none
  }
}

void writes_allowed(char what) {
  x = 1;  // ENTRY writes_allowed write
  let_in(what);
  x = 2;  // END writes_allowed write write
}

void with_exit(bool leave) {
  const int seen = x;  // ENTRY with_exit read
  let_in('w');
  if (leave) {
    y = 1;  // EXIT with_exit
  }
  x = seen + 1;  // END with_exit write read
}

void circular(int rounds, int disturbed) {
  for (int i = 0; i < rounds; ++i) {
    x = i;  // ENTRY circular write  // END circular write none
    if (i == disturbed) let_in('w');
  }
}

void overlapping(int disturbed) {
  if (disturbed == 0) let_in('w');
  int seen = x;  // ENTRY first_pair read
  if (disturbed == 1) let_in('w');
  seen += x + 1;  // END first_pair read read  // ENTRY second_pair read
  if (disturbed == 2) let_in('w');
  x = seen;  // END second_pair write read
  if (disturbed == 3) let_in('w');
}

// Disturbed before the inner end, or between the inner end and the outer one.
void recursive(int depth, bool inside) {
  const int seen = x;  // ENTRY recursive read
  if (depth > 0) {
    recursive(depth - 1, inside);
    if (!inside) let_in('w');
  } else if (inside) {
    let_in('w');
  }
  x = seen + 1;  // END recursive write read
}

// What the section's own thread does to the variable in between does not end it.
void in_between() {
  int seen = x;  // ENTRY in_between read
  std::printf("%d\n", x);
  x = 3;
  let_in('w');
  x = seen + 1;  // END in_between write read
}

__attribute__((noinline)) int begin_elsewhere() {
  return x;  // ENTRY elsewhere read begin_elsewhere
}
void elsewhere() {
  const int seen = begin_elsewhere();
  let_in('w');
  x = seen + 1;  // END elsewhere write read elsewhere
}

// A section ends with its function: the end of a later call is not its end.
__attribute__((noinline)) int left(bool to_end) {
  if (!to_end) return x;  // ENTRY left read
  x = 5;                  // END left write none
  return 0;
}

int main(int count, char** words) {
  if (count > 1) scenario = words[1];
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  std::thread thread(other);
  if (is("two-ends-read-first")) two_ends(true, 'r');
  if (is("two-ends-read-second")) two_ends(false, 'r');
  if (is("two-ends-write-first")) two_ends(true, 'w');
  if (is("two-ends-write-second")) two_ends(false, 'w');
  if (is("allowed-write")) writes_allowed('w');
  if (is("forbidden-read")) writes_allowed('r');
  if (is("exit-not-taken")) with_exit(false);
  if (is("exit-taken")) with_exit(true);
  if (is("circular-undisturbed")) circular(5, -1);
  if (is("circular-in-a-round")) circular(5, 2);
  if (is("circular-after-the-last")) circular(5, 4);
  if (is("circular-once")) circular(1, 0);
  if (is("overlap-before")) overlapping(0);
  if (is("overlap-first")) overlapping(1);
  if (is("overlap-second")) overlapping(2);
  if (is("overlap-after")) overlapping(3);
  if (is("recursion-inner")) recursive(2, true);
  if (is("recursion-outer")) recursive(2, false);
  if (is("in-between")) in_between();
  if (is("elsewhere")) elsewhere();
  if (is("left-by-return")) {
    left(false);
    let_in('w');
    left(true);
  }
  plan = 'q';
  sem_post(&go);
  thread.join();
}
