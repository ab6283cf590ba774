// What is published under a lock is found by reads that are recorded together with others: each of a
// loop, all of a structure, and one whose value comes back from another place. Who has found it
// comes after it.
// expect none
#include <mutex>

#include "finish_late.h"

struct Pair {
  long* first;
  long* second;
};

static std::mutex mutex;
static long in_row, in_pair, in_place, other;
static long* row[64];
static Pair pair;
static long* place;
static long* copy_of_place;
static long** volatile copy = &copy_of_place;
static volatile int size = 12;
volatile long sink;

__attribute__((noinline)) static long look(const long* at) { return *at; }
__attribute__((noinline)) static long sum_of(long** from, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += look(from[i]);
  return sum;
}
__attribute__((noinline)) static long turn(Pair* p) {
  const Pair before = *p;
  const long found = *before.first;
  *p = {before.second, before.first};
  return found;
}
__attribute__((noinline)) static long replace(long** to, long** from) {
  *to = place;
  const long found = **from;
  place = &other;
  return found;
}

static void publish() {
  in_row = in_pair = in_place = 1;
  const std::lock_guard guard(mutex);
  row[0] = &in_row;
  pair.first = &in_pair;
  place = &in_place;
}
static void find() {
  const std::lock_guard guard(mutex);
  sink = sum_of(row, size) + turn(&pair) + replace(copy, copy);
}
int main() {
  for (long*& at : row) at = &other;
  pair = {&other, &other};
  place = &other;
  finish_late(publish, find);
}
