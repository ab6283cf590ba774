"""Building, running and recording programs as users do it: options, suppressions, ignore lists."""

import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from random import Random

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORETRACE = os.environ.get("FORETRACE", str(ROOT / "build" / "test" / "foretrace"))
RACE = """
#include <thread>
int counter;
__attribute__((noinline)) void count() { ++counter; }
int main() {
  std::thread first(count), second(count);
  first.join();
  second.join();
}
"""
SERVER = r"""
#include <csignal>
#include <cstdio>
#include <cstdlib>
int main() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  std::puts("ready");
  std::fflush(stdout);
  int number = 0;
  sigwait(&all, &number);
  std::printf("ends after %d\n", number);
  return 7;
}
"""
# A child goes on with what its parent has used last, under a late stamp.
FORKED = r"""
#include <mutex>
#include <sys/wait.h>
#include <unistd.h>
volatile long counter, sink;
std::mutex mutex;
int main() {
  for (int i = 0; i < 1000; ++i) { std::lock_guard lock(mutex); }
  sink = counter;
  if (fork() == 0) {
    for (int i = 0; i < 1000; ++i) counter = i;
    _exit(0);
  }
  wait(nullptr);
}
"""
# Nothing has a definition of bump() that could be called.
INLINE = """
#include <pthread.h>
int counter;
inline void bump(int* what) { ++*what; }
void* count(void* unused) { bump(&counter); return unused; }
int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, count, 0);
  pthread_create(&second, 0, count, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
}
"""

# Reads and writes of a large array at several places, in an order that it prints.
WALKS = r"""
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
std::vector<long> cells(1 << 20);
volatile long sink;
struct Walk { int site; unsigned at; };
__attribute__((noinline)) void step(Walk& walk) {
  if (walk.site != 2 && walk.site != 3) std::printf("r %u\n", walk.at);
  if (walk.site >= 2) std::printf("w %u\n", walk.at);
  switch (walk.site) {
    case 0: sink = cells[walk.at]; break;
    case 1: sink = cells[walk.at]; break;
    case 2: cells[walk.at] = 1; break;
    case 3: cells[walk.at] = 2; break;
    case 4: cells[walk.at] += 3; break;
    default: cells[walk.at] += 4; break;
  }
  ++walk.at;
}
__attribute__((noinline)) void step_by_another(Walk& walk) {
  step(walk);
  sink = 0;
}
void work(unsigned seed) {
  std::vector<Walk> walks(6);
  const auto random = [&] { return (seed = seed * 1664525 + 1013904223) >> 8; };
  // Some start where others are; some are a filter's size apart.
  const auto begin = [&](Walk& walk) {
    walk = {int(random() % 6), random() % 64 + (random() % 2 << 18)};
  };
  for (Walk& walk : walks) begin(walk);
  for (int i = 0; i < 20000; ++i) {
    Walk& walk = walks[random() % walks.size()];
    if (random() % 3 == 0) step_by_another(walk); else step(walk);
    if (random() % 40 == 0) begin(walk);
  }
}
int main(int, char** words) { std::thread(work, std::atoi(words[1])).join(); }
"""

# Loops whose course is foreseen, with accesses of several sizes to parts of a small array
# that may be the same, and may have the loop's bound in them: each is done with a copy
# first, and prints what it does. A lock between them begins a new stretch.
SWEEPS = r"""
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>
std::vector<int> cells(1 << 12);
int copy[128];
std::mutex mutex;
struct Int { int value; };
struct __attribute__((packed, aligned(4))) Long { long value; };
typedef long Pair __attribute__((vector_size(16)));
struct __attribute__((packed, aligned(4))) Two { Pair value; };
long sum_of(long value) { return value; }
long sum_of(Pair value) { return value[0] + value[1]; }
struct Walk { unsigned at, rounds; };  // bits: the rounds, of eight, in which it goes on
struct Walks { Walk a, b, c, d, e; unsigned bound; };
template <typename T> bool goes_on(Walk& walk, unsigned round, unsigned& at) {
  if ((walk.rounds >> round % 8 & 1) == 0) return false;
  at = walk.at & 63;
  walk.at += sizeof(T) / 4;
  return true;
}
template <typename T> T& at(int* base, unsigned at) { return *reinterpret_cast<T*>(base + at); }
template <typename T> void say(const char* ops, unsigned at) {
  for (; *ops != 0; ++ops) {
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) std::printf("%c %u\n", *ops, at + i);
  }
}
template <typename A, typename B, typename C, typename D, typename E, bool kSay>
__attribute__((noinline)) long sweep(Walks s) {
  int* const base = kSay ? copy : cells.data();
  const int* const bound = base + s.bound;
  const auto done = [&](auto type, const char* ops, unsigned i) { if (kSay) say<decltype(type)>(ops, i); };
  long sum = 0;
  unsigned i = 0;
  for (int k = 0; done(Int(), "r", s.bound), k < *bound; ++k) {
    if (goes_on<A>(s.a, k, i)) done(A(), "r", i), sum += sum_of(at<A>(base, i).value);
    if (goes_on<B>(s.b, k, i)) done(B(), "r", i), sum += sum_of(at<B>(base, i).value);
    if (goes_on<C>(s.c, k, i)) done(C(), "w", i), at<C>(base, i).value = {};
    if (goes_on<D>(s.d, k, i)) done(D(), "rw", i), at<D>(base, i).value += 1;
    if (goes_on<E>(s.e, k, i)) done(E(), "w", i), at<E>(base, i).value = {};
  }
  return sum;
}
void copy_cells() {  // without hooks
  void* to = copy;
  const void* from = cells.data();
  unsigned long bytes = sizeof copy;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
template <typename A, typename B, typename C, typename D, typename E> long say_and_sweep(const Walks& s) {
  std::printf("s 0\n");
  sweep<A, B, C, D, E, true>(s);
  return sweep<A, B, C, D, E, false>(s);
}
void work(unsigned seed) {
  const auto random = [&] { return (seed = seed * 1664525 + 1013904223) >> 8; };
  long sum = 0;
  for (int i = 0; i < 300; ++i) {
    const unsigned near = random() % 64;
    const auto walk = [&] { return Walk{near + random() % 8, random() % 256}; };
    const Walks walks = {walk(), walk(), walk(), walk(), walk(), random() % 96};
    say<Int>("w", walks.bound);
    cells[walks.bound] = random() % 24;
    copy_cells();
    mutex.lock();
    mutex.unlock();
    switch (random() % 6) {
      case 0: sum += say_and_sweep<Int, Long, Long, Int, Long>(walks); break;
      case 1: sum += say_and_sweep<Long, Two, Int, Long, Int>(walks); break;
      case 2: sum += say_and_sweep<Int, Int, Two, Long, Long>(walks); break;
      case 3: sum += say_and_sweep<Two, Long, Int, Int, Int>(walks); break;
      case 4: sum += say_and_sweep<Int, Int, Long, Long, Long>(walks); break;
      default: sum += say_and_sweep<Int, Long, Int, Int, Int>(walks); break;
    }
  }
  if (sum == 123456789) std::puts("");
}
int main(int, char** words) { std::thread(work, std::atoi(words[1])).join(); }
"""

# Loops that go over an array in steps: what each of them reads, and then what it writes. Some
# go on where there is a hole, meet what was accessed before, or are repeated.
STEPS = r"""
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>
std::vector<int> cells(1 << 14);
std::mutex mutex;
struct __attribute__((packed, aligned(4))) Long { long value; };
struct Steps { long at, step, rounds; };
template <typename T> T& at(int* base, Steps s, long k) {
  return *reinterpret_cast<T*>(base + (s.at + k * s.step));
}
template <typename T> void say(char op, Steps s) {
  for (long k = 0; k < s.rounds; ++k) {
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) std::printf("%c %ld\n", op, s.at + k * s.step + i);
  }
}
template <typename T> void say_copy(Steps s, Steps t) {
  for (long k = 0; k < s.rounds; ++k) {
    say<T>('r', {s.at + k * s.step, 0, 1});
    say<T>('w', {t.at + k * t.step, 0, 1});
  }
}
template <typename T> __attribute__((noinline)) long read(Steps s) {
  int* const base = cells.data();
  long sum = 0;
  for (long k = 0; k < s.rounds; ++k) sum += at<T>(base, s, k).value;
  return sum;
}
template <typename T> __attribute__((noinline)) void write(Steps s) {
  int* const base = cells.data();
  for (long k = 0; k < s.rounds; ++k) at<T>(base, s, k).value = k;
}
template <typename T> __attribute__((noinline)) void add(Steps s) {
  int* const base = cells.data();
  for (long k = 0; k < s.rounds; ++k) at<T>(base, s, k).value += k;
}
template <typename T> __attribute__((noinline)) void copy(Steps s, Steps t) {
  int* const base = cells.data();
  for (long k = 0; k < s.rounds; ++k) at<T>(base, t, k).value = at<T>(base, s, k).value;
}
template <typename T, int kStep> __attribute__((noinline)) void fixed(Steps s) {
  int* const base = cells.data();
  s.step = kStep;
  for (long k = 0; k < s.rounds; ++k) at<T>(base, s, k).value += k;
}
struct Int { int value; };
struct Parts { int a, b; };
__attribute__((noinline)) void turn(Steps s) {
  int* const base = cells.data();
  for (long k = 0; k < s.rounds; ++k) {
    Parts& parts = at<Parts>(base, s, k);
    const int a = parts.a;
    parts.a = parts.b;
    parts.b = -a;
  }
}
template <typename T> long once(unsigned what, Steps s, Steps t) {
  switch (what) {
    case 0: return say<T>('r', s), read<T>(s);
    case 1: return say<T>('w', s), write<T>(s), 0;
    case 2: return say<T>('r', s), say<T>('w', s), add<T>(s), 0;
    case 3: return say_copy<T>(s, t), copy<T>(s, t), 0;
    case 4: return say<Parts>('r', s), say<Parts>('w', s), turn(s), 0;
    case 5: s.step = 3; return say<T>('r', s), say<T>('w', s), fixed<T, 3>(s), 0;
    default: s.step = -17; return say<T>('r', s), say<T>('w', s), fixed<T, -17>(s), 0;
  }
}
void work(unsigned seed) {
  const auto random = [&](unsigned most) { return ((seed = seed * 1664525 + 1013904223) >> 8) % most; };
  long sum = 0;
  for (int i = 0; i < 150; ++i) {
    std::printf("s 0\n");
    mutex.lock();
    mutex.unlock();
    const long step = static_cast<long>(random(60)) - 30, rounds = random(random(4) == 0 ? 150 : 12);
    const auto steps = [&] { return Steps{5000 + random(40), step + (random(3) == 0), rounds}; };
    Steps s = steps(), t = steps();
    for (unsigned times = 1 + random(4); times > 0; --times) {
      const unsigned what = random(7);
      sum += random(2) == 0 ? once<Int>(what, s, t) : once<Long>(what, s, t);
      if (random(2) == 0) s = steps();
      if (random(3) == 0) s.rounds = rounds / 2;
    }
  }
  if (sum == 123456789) std::puts("");
}
int main(int, char** words) {
  for (int* cell = &cells[0]; cell < &cells[1 << 14]; cell += 2) *cell = 1;  // each has a name
  std::thread(work, std::atoi(words[1])).join();
}
"""

# Each cell is touched by way of one of two functions, in ways that are recorded differently.
TWO_WAYS = r"""
#include <thread>
long cells[60];
volatile long seen;
__attribute__((noinline)) void touch(int i) {
  switch (i % 3) {
    case 0: cells[i] = i; break;
    case 1: cells[i] += i; break;
    default: seen = cells[i];
  }
}
__attribute__((noinline)) void odd(int i) { touch(i); seen = 1; }
__attribute__((noinline)) void even(int i) { touch(i); seen = 2; }
void first() {
  for (int i = 0; i < 60; ++i) {
    const int at = i * 7 % 60;
    if (at % 2 == 1) odd(at); else even(at);
  }
}
void second() { for (int i = 0; i < 60; ++i) cells[i * 11 % 60] = 1; }
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
"""

# Accesses of neighbouring cells, straight ahead, in functions that a seed makes: a cell is an
# int or one of two halves of a long; reads may be at a place that was read; some accesses are in
# functions that are called, and some behind a branch; cells may be exchanged. Each function says what it will do, then
# does it in one stretch.
def fields_source(seed):
    random = Random(seed)
    functions, calls = [], []
    for number in range(40):
        lines, log, exchanged = [], [], False
        for _ in range(random.randint(2, 9)):
            at, bytes = random.randrange(9), random.choice(["Int", "Int", "Long"])
            cells = [at, at + 1] if bytes == "Long" else [at]
            place = f"{bytes}::at({random.choice(['base', 'base', 'again'])} + {at})"
            if random.random() < 0.2:  # what is exchanged may be the same, or overlap
                exchanged = True
                bytes, width = random.choice([("Int", 1), ("Two", 2), ("Four", 4)])
                one, other = (random.choice([0, 4]) if width == 4 else random.randrange(7) for _ in range(2))
                lines.append(f"std::swap({bytes}::at(base + {one}), {bytes}::at(again + {other}));")
                log += [f"{op} {cell + i}" for op, cell in (("r", one), ("r", other), ("w", one), ("w", other)) for i in range(width)]
                continue
            op = "r" if exchanged else random.choice("rrrrw")  # or the compiler drops what it exchanged
            line = f"sum += {place};" if op == "r" else f"{place} = zero;"
            how = random.random()
            if how < 0.25:  # what is summed up is zero
                lines.append(f"if (sum == 0) {{ {line} }} else {{ sum += look(base); }}")
            elif how < 0.45:
                lines.append(f"sum += {'look' if op == 'r' else 'put'}(&{place}{', zero' if op == 'w' else ''});")
            else:
                lines.append(line)
            log += [f"{op} %d" % cell for cell in cells]
            if op == "r" and random.random() < 0.15:  # what was read is zero
                lines.append(f"sum += Int::at(base + 4 + {place});")
                log.append("r 4")
        start = random.choice([0, 2])
        functions.append(f"__attribute__((noinline)) long f{number}(int* base, int* again, int zero) {{ long sum = 0; {' '.join(lines)} return sum; }}")
        says = "".join(f'std::printf("%c %d\\n", \'{entry[0]}\', {start} + {entry[2:]}); ' for entry in log)
        calls.append(f'std::printf("s 0\\n"); {says} mutex.lock(); mutex.unlock(); sum += f{number}(cells.data() + {start}, cells.data() + {start}, zero);')
    return FIELDS.replace("FUNCTIONS", "\n".join(functions)).replace("CALLS", "\n  ".join(calls))


FIELDS = r"""
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
std::vector<int> cells(16);
std::mutex mutex;
struct __attribute__((packed, aligned(4), may_alias)) Long {
  long value;
  static long& at(int* base) { return reinterpret_cast<Long*>(base)->value; }
};
struct Int {
  static int& at(int* base) { return *base; }
};
struct __attribute__((packed, aligned(2), may_alias)) Two {  // two of them may overlap
  int values[2];
  static Two& at(int* base) { return *reinterpret_cast<Two*>(base); }
};
struct __attribute__((packed, aligned(8), may_alias)) Four {
  int values[4];
  static Four& at(int* base) { return *reinterpret_cast<Four*>(base); }
};
__attribute__((noinline)) long look(const int* cell) { return *cell; }
__attribute__((noinline)) long look(const long* cell) { return reinterpret_cast<const Long*>(cell)->value; }
__attribute__((noinline)) long put(int* cell, int zero) { return *cell = zero; }
__attribute__((noinline)) long put(long* cell, int zero) { return reinterpret_cast<Long*>(cell)->value = zero; }
FUNCTIONS
volatile int nothing = 0;  // the compiler does not know that
void work() {
  long sum = 0;
  const int zero = nothing;
  CALLS
  if (sum == 123456789) std::puts("");
}
int main() { std::thread(work).join(); }
"""

# Loops in loops that a seed makes, some of which do the same in each round of those around them.
# What a function will do is said first, then it does it in one stretch.
TABLE = [3, 7, 0, 5, 1, 2, 9, 4, 8, 6, 11, 10]
def nests_source(seed):
    random = Random(seed)
    functions, calls = [], []
    for number in range(60):
        counts = {"r": random.randrange(4), "n": random.choice([0, 1, 2, 5, 11]), "m": random.choice([0, 3, 8])}
        lines, steps = [], []
        for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
            to, count = random.randrange(12), random.choice("nm")
            start, near = (to + random.randrange(1, 12)) % 12, (to + random.randrange(4)) % 12
            line, ops, rounds = random.choice([
                (f"sum += base[{to} + j];", [("r", to, 1)], count), (f"base[{to} + j] = zero;", [("w", to, 1)], count),
                (f"base[{to} + j] += zero;", [("r", to, 1), ("w", to, 1)], count),
                (f"base[{to} + j] = base[{start} + j];", [("r", start, 1), ("w", to, 1)], count),
                (f"{{ sum += base[{start}]; base[{to} + j] = zero; }}", [("r", start, 0), ("w", to, 1)], count),
                (f"{{ base[{to} + j] = zero; sum += base[{near}]; }}", [("w", to, 1), ("r", near, 0)], count),
                (f"{{ base[{to} + j] = zero; sum += again[{near} + j]; }}", [("w", to, 1), ("r", near, 1)], count),
                (f"base[{to} + j] += again[{near}];", [("r", to, 1), ("r", near, 0), ("w", to, 1)], count),
                (f"{{ sum += base[{to} + j]; base[{near}] = zero; }}", [("r", to, 1), ("w", near, 0)], count),
                (f"{{ base[{to} + j] = zero; sum += base[table[j]]; }}", [("w", to, 1), ("r", 0, "table")], count),
                (f"{{ sum += base[{to} + j]; base[table[j]] = zero; }}", [("r", to, 1), ("w", 0, "table")], count),
                (f"{{ base[{near} + j] = zero; sum += base[{to} + 11 - j]; }}", [("w", near, 1), ("r", to + 11, -1)], count),
                (f"{{ base[{near} + 2 * j] = zero; sum += base[{to} + 2 * j]; }}", [("w", near, 2), ("r", to, 2)], count),
                (f"{{ sum += base[{to} + 2 * j]; base[{near} + 2 * j] = zero; }}", [("r", to, 2), ("w", near, 2)], count),
                (f"{{ sum += base[{to} + 2 * j]; base[{near} + j] = zero; }}", [("r", to, 2), ("w", near, 1)], count),
                (f"{{ __builtin_memcpy(base + {near} + 2 * j, other + 40, 8); sum += base[{to} + j]; }}",
                 [("w", near, 2), ("w", near + 1, 2), ("r", to, 1)], count),
                (f"{{ base[{to} + j] = zero; sum += look(base + {near} + j); }}", [("w", to, 1), ("r", near, 1)], count),
                (f"{{ sum += look(again + {near} + j); base[{to} + j] = zero; }}", [("r", near, 1), ("w", to, 1)], count),
                (f"{{ sum += base[{to} + j]; put(base + {near} + j, zero); }}", [("r", to, 1), ("w", near, 1)], count),
                (f"{{ again[{near} + 2 * j] = zero; sum += base[{to} + 2 * j]; }}", [("w", near, 2), ("r", to, 2)], count),
                (f"{{ again[{near}] = zero; sum += base[{to} + j]; }}", [("w", near, 0), ("r", to, 1)], count),
                (f"{{ if (odd[j]) sum += again[{near} + j]; base[{to} + j] = zero; }}", [("r", near, "odd"), ("w", to, 1)], count),
                (f"{{ base[{near} + three * j] = zero; sum += base[{to} + three * j]; }}", [("w", near, 3), ("r", to, 3)], count),
                (f"{{ again[{to} + 6 + three * j] = zero; sum += base[{to} + three * j]; }}", [("w", to + 6, 3), ("r", to, 3)], count),
                (f"base[{to} + 2 * j] = zero;", [("w", to, 2)], count), (f"sum += base[{to} + 2 * j];", [("r", to, 2)], count),
                (f"sum += base[{to}];", [("r", to, 0)], None), (f"base[{to}] = zero;", [("w", to, 0)], None),
                ("other[j] += 1;", [], count), ("sum += static_cast<long>(other[j]);", [], count)])
            guard, is_made = random.choice([("", True), ("", True), ("if (m > 4) ", counts["m"] > 4)])
            lines.append(guard + (f"for (long j = 0; j < {rounds}; ++j) " if rounds else "") + line)
            steps.append((ops, (counts[rounds] if rounds else 1) if is_made else 0))
        log = [(op, TABLE[j] if step == "table" else at + (1 if step == "odd" else step) * j)
               for _ in range(counts["r"]) for ops, times in steps
               for j in range(times) for op, at, step in ops if step != "odd" or j % 2 == 1]
        functions.append("__attribute__((noinline)) long "
                         f"f{number}(int* base, int* again, float* other, int zero, long three, long r, long n, long m) {{ long sum = 0; "
                         f"for (long k = 0; k < r; ++k) {{ {' '.join(lines)} }} return sum; }}")
        says = "".join(f'say("{op} {cell}"); ' for op, cell in log)
        calls.append(f'say("s 0"); {says} mutex.lock(); mutex.unlock(); sum += f{number}(cells.data(), cells.data(), other, zero, 3 + zero, '
                     f'{counts["r"]} + zero, {counts["n"]} + zero, {counts["m"]} + zero);')
    return NESTS.replace("TABLE", ", ".join(map(str, TABLE))).replace("FUNCTIONS", "\n".join(functions)).replace("CALLS", "\n  ".join(calls))


NESTS = r"""
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
std::vector<int> cells(1 << 13);  // a block of memory that the recorder knows
float other[64];
constexpr int table[] = {TABLE};
constexpr bool odd[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
__attribute__((noinline)) long look(const int* cell) { return *cell; }
__attribute__((noinline)) void put(int* cell, int value) { *cell = value; }
std::mutex mutex;
FUNCTIONS
__attribute__((noinline)) void say(const char* what) { std::puts(what); }
volatile int nothing = 0;  // the compiler does not know that
void work() {
  long sum = 0;
  const int zero = nothing;
  CALLS
  if (sum == 123456789) std::puts("");
}
int main() {
  mutex.lock();
  mutex.unlock();
  for (int* cell = &cells[0]; cell < &cells[64]; cell += 2) *cell = 1;  // each has a name
  std::thread(work).join();
}
"""

# Locks that are taken in a function which two others call, again and again, and in the end in
# two orders; one thread when the other has done it, but not because of that.
# 4^9 ways down, at the end of each of which a cell is written.
MANY_WAYS = r"""
#include <thread>
long cells[64];
volatile long seen;
__attribute__((noinline)) void walk(int depth, unsigned way) {
  if (depth == 9) {
    cells[way * 2654435761u >> 26] = depth;
  } else {
    walk(depth + 1, way * 4);
    walk(depth + 1, way * 4 + 1);
    walk(depth + 1, way * 4 + 2);
    walk(depth + 1, way * 4 + 3);
  }
  seen = depth;
}
void first() { walk(0, 0); seen = 1; }
void second() { for (long& cell : cells) cell = 1; }
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
"""

LOCKED_TWO_WAYS = r"""
#include <chrono>
#include <mutex>
#include <thread>
std::mutex a, b;
int total;
__attribute__((noinline)) void take(std::mutex& mutex, int& count) { mutex.lock(); ++count; }
__attribute__((noinline)) void both_of(std::mutex& first, std::mutex& second, bool at_once, int& count) {
  take(first, count);
  if (!at_once) first.unlock();
  take(second, count);
  second.unlock();
  if (at_once) first.unlock();
}
__attribute__((noinline)) void forth(bool at_once, int& count) { both_of(a, b, at_once, count); ++count; }
__attribute__((noinline)) void back(bool at_once, int& count) { both_of(b, a, at_once, count); ++count; }
int main() {
  std::thread one([] { int count = 0; for (int i = 0; i < 5; ++i) forth(i == 4, count); });
  std::thread two([] {
    int count = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (int i = 0; i < 5; ++i) back(i == 4, count);
  });
  one.join();
  two.join();
}
"""

# Who is handed a pointer to a local and does not keep it has nothing to say of it.
HANDED_ON = r"""
#include <thread>
struct Own { long left = 0, right = 0; };
long shared;
__attribute__((noinline)) void add(Own& own, long* other, int depth) {
  own.left += depth;
  own.right -= depth;
  *other += 1;
  if (depth > 0) add(own, other, depth - 1);
}
int main() {
  std::thread other([] {
    Own own;
    long number = 0;
    add(own, &number, 5);
    shared = own.left + own.right + number;
  });
  other.join();
  Own own;
  add(own, &shared, 2);
}
"""

# Goes down with one object: eight calls of look(), and seven of the two that call each other.
COVERED = r"""
struct Limits { long low, high, other; };
extern "C" {
__attribute__((noinline)) long look(const Limits& at, long depth) {
  const long here = at.low;
  return depth == 0 ? here : look(at, depth - 1) * here + depth;
}
long odd(const Limits& at, long depth);
__attribute__((noinline)) long even(const Limits& at, long depth) {
  const long here = at.high;
  return depth == 0 ? here : odd(at, depth - 1) * here + depth;
}
__attribute__((noinline)) long odd(const Limits& at, long depth) {
  const long here = at.high;
  return depth == 0 ? here : even(at, depth - 1) * here + depth;
}
// Reads more in the end than its callers have.
__attribute__((noinline)) long more(const Limits& at, long depth) {
  const long here = at.low;
  return depth == 0 ? at.other + here : more(at, depth - 1) * here + depth;
}
}
"""
# Hooks that count how often they are called with what each function was given.
COUNTING = r"""
#include <stdio.h>
struct Limits { long low, high, other; };
long look(const struct Limits*, long), even(const struct Limits*, long), more(const struct Limits*, long);
unsigned char __foretrace_active;
static long reads, groups;
int main(void) {
  static long (*const functions[])(const struct Limits*, long) = {look, even, more};
  static const long depths[] = {7, 6, 7};
  struct Limits limits = {1, 2, 3};
  for (__foretrace_active = 1; __foretrace_active <= 2; ++__foretrace_active) {
    for (int i = 0; i < 3; ++i) {
      reads = 0;
      functions[i](&limits, depths[i]);
      printf("%ld ", reads);
    }
  }
}
"""

# Loops with accesses at equal distances, one without, and one that is short.
STRIDED = r"""
extern "C" {
struct Body { double place, speed[4]; };
double column(const double* matrix, long width, long rows) {
  double sum = 0;
  for (long i = 0; i < rows; ++i) sum += matrix[i * width];
  return sum;
}
void stop(struct Body* bodies, int count) {
  for (int i = count - 1; i >= 0; --i) bodies[i].speed[1] = 0;
}
void swap_parts(double* pairs, int count) {
  for (int i = 0; i < count; ++i) {
    const double first = pairs[2 * i];
    pairs[2 * i] = pairs[2 * i + 1];
    pairs[2 * i + 1] = first;
  }
}
void squares(double* to, long count) {
  for (long i = 0; i < count; ++i) to[i * i] = 1;
}
void three(double* to) {
  for (long i = 0; i < 3; ++i) to[i * 7] = 1;
}
}
"""
STRIDED_COUNTING = r"""
#include <stdio.h>
struct Body { double place, speed[4]; };
double column(const double*, long, long);
void stop(struct Body*, int), swap_parts(double*, int), squares(double*, long), three(double*);
unsigned char __foretrace_active = 1;
static long reads;
static double data[8192];
static void say(int write, const void* at, long step, long rounds, unsigned bytes) {
  printf("%d %d %ld %ld %u\n", write, (int)((const double*)at - data), step, rounds, bytes);
}
void __foretrace_read_strided(const void* at, long step, long rounds, unsigned bytes) {
  say(0, at, step, rounds, bytes);
}
void __foretrace_write_strided(const void* at, long step, long rounds, unsigned bytes) {
  say(1, at, step, rounds, bytes);
}
void __foretrace_read_strided_parts(const void* at, long step, long rounds, unsigned bytes) {
  say(2, at, step, rounds, bytes);
}
void __foretrace_write_strided_parts(const void* at, long step, long rounds, unsigned bytes) {
  say(3, at, step, rounds, bytes);
}
static _Bool is_written;
_Bool __foretrace_is_strided_written(const void* at, long step, long rounds, unsigned bytes) {
  say(4, at, step, rounds, bytes);
  return is_written;
}
void __foretrace_write8(const void* at) { say(1, at, 0, 1, 8); }
void __foretrace_write8_foreseen(const void* at) { say(1, at, 0, 1, 8); }
int main(void) {
  column(data + 1, 100, 40);
  stop((struct Body*)data, 50);
  swap_parts(data, 20);
  is_written = 1;
  swap_parts(data, 20);
  squares(data, 3);
  three(data);
  return reads != 0;
}
"""

# What is read and then written at two places of the source.
EXCHANGED = r"""
#include <utility>
struct Key { double value; long owner; };
extern "C" {
void exchange(int* cells, long one, long other) { std::swap(cells[one], cells[other]); }
void exchange_keys(Key* keys, long one, long other) { std::swap(keys[one], keys[other]); }
void follow(int* cells) {  // where the second read is depends on the first
  const int first = cells[0];
  const int next = cells[first];
  cells[0] = next;
}
void move_on(int* cells, long from, long to) {  // it may write what it reads then
  const int first = cells[from];
  cells[to] = 1;
  cells[from] = first + 1;
}
}
"""
EXCHANGED_COUNTING = r"""
#include <stdio.h>
struct Key { double value; long owner; };
void exchange(int*, long, long), exchange_keys(struct Key*, long, long), follow(int*), move_on(int*, long, long);
unsigned char __foretrace_active;
static long reads, writes, pairs;
static int cells[8];
static struct Key keys[8];
void __foretrace_update4_pair(void) { ++pairs; }
void __foretrace_update16_pair(void) { ++pairs; }
void __foretrace_write4(void) { ++writes; }
void __foretrace_write16(void) { ++writes; }
static void say(void) {
  printf("%ld %ld %ld\n", pairs, reads, writes);
  pairs = reads = writes = 0;
}
int main(void) {
  for (__foretrace_active = 1; __foretrace_active <= 2; ++__foretrace_active) {
    exchange(cells, 1, 2); say();
    exchange_keys(keys, 1, 2); say();
    follow(cells); say();
    move_on(cells, 1, 2); say();
  }
}
"""

# Loops around loops that make the same accesses each time, or do not.
ROUNDS = r"""
extern "C" {
void age(int* cells, long count, long rounds) {
  for (long k = 0; k < rounds; ++k) {
    for (long i = 0; i < count; ++i) cells[i] = cells[i] * 17 + 3;
  }
}
int sums(int* cells, long count, long rounds) {
  int sum = 0;
  for (long k = 0; k < rounds; ++k) {
    for (long i = 0; i < count; ++i) cells[i] = static_cast<int>(i * k);
    for (long i = 0; i < count; ++i) sum ^= cells[i] >> (k & 1);
  }
  return sum;
}
int rows(const int* cells, long count, long rounds) {
  int sum = 0;
  for (long k = 0; k < rounds; ++k) {
    for (long i = 0; i < count; ++i) sum ^= cells[count * k + i] >> (k & 1);
  }
  return sum;
}
}
"""
ROUNDS_COUNTING = r"""
#include <stdio.h>
void age(int*, long, long), sums(int*, long, long), rows(const int*, long, long);
unsigned char __foretrace_active = 1;
static long reads;
static int cells[64];
static void say(int write, const void* at, long bytes) {
  printf("%d %d %ld\n", write, (int)((const int*)at - cells), bytes);
}
void __foretrace_read_range(const void* at, long bytes) { say(0, at, bytes); }
void __foretrace_write_range(const void* at, long bytes) { say(1, at, bytes); }
static _Bool is_written;
_Bool __foretrace_is_range_written(const void* at, long bytes) {
  say(2, at, bytes);
  return is_written;
}
int main(void) {
  age(cells, 10, 5);
  age(cells, 0, 5);
  sums(cells, 10, 3);
  rows(cells, 10, 3);
  is_written = 1;
  age(cells, 10, 5);
  __foretrace_active = 2;
  age(cells, 10, 2);
  return reads != 0;
}
"""

# Nodes that are gone down to, and calls between reads of one object: early_reads.h.
EARLY = r"""
struct Node { struct Node* left; long value; struct Node* right; };
extern "C" {
__attribute__((noinline)) long sum(const Node* node) {
  if (node == nullptr) return 0;
  const long before = sum(node->left);
  return before + node->value + sum(node->right);
}
// The call writes what is read behind it.
__attribute__((noinline)) long replace(Node* node, Node* other) {
  node->right = other;
  return node->value;
}
__attribute__((noinline)) long replaced(Node* node, Node* other) {
  const long before = node->left == nullptr ? 1 : 2;
  return before + replace(node, other) + (node->right == nullptr ? 10 : 20);
}
// The second is read in another round of the loop.
__attribute__((noinline)) long rounds(Node** nodes) {
  for (;;) {
    Node* const node = *nodes++;
    if (node->left == nullptr) continue;
    if (node->right != nullptr) return node->right->value;
  }
}
// It is not sure that the second is read.
void nobody_knows();
__attribute__((noinline)) long unsure(Node* node) {
  const long before = node->left == nullptr ? 1 : 2;
  nobody_knows();
  return before + (node->right == nullptr ? 10 : 20);
}
}
"""
# Hooks that count calls for several reads.
EARLY_COUNTING = r"""
#include <stdio.h>
struct Node { struct Node* left; long value; struct Node* right; };
long sum(const struct Node*), replaced(struct Node*, struct Node*), unsure(struct Node*);
long rounds(struct Node**);
void nobody_knows(void) {}
unsigned char __foretrace_active;
static long reads, groups;
// Somebody else writes while it is read.
static struct Node* changing;
void __foretrace_read_parts(void) {
  ++groups;
  if (changing != 0) changing->right = 0;
  changing = 0;
}
static struct Node leaves[2] = {{0, 1, 0}, {0, 2, 0}};
int main(void) {
  for (__foretrace_active = 1; __foretrace_active <= 2; ++__foretrace_active) {
    struct Node node = {&leaves[0], 4, &leaves[1]};
    reads = groups = 0;
    if (sum(&node) != 7) return 1;
    printf("%ld %ld ", groups, reads);
    changing = &node;
    reads = groups = 0;
    if (sum(&node) != (__foretrace_active == 1 ? 5 : 7)) return 1;
    printf("%ld %ld ", groups, reads);
    reads = groups = 0;
    if (replaced(&node, 0) != 16) return 1;
    printf("%ld %ld ", groups, reads);
    node.right = &leaves[1];
    reads = groups = 0;
    if (unsure(&node) != 22) return 1;
    printf("%ld %ld ", groups, reads);
    struct Node* all[] = {&leaves[0], &leaves[1], &node};
    reads = groups = 0;
    if (rounds(all) != 2) return 1;
    printf("%ld %ld ", groups, reads);
  }
  return 0;
}
"""

# A reference, and an object that stays with its thread though the library gets a pointer to it.
BOUND = r"""
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex mutex;
std::condition_variable changed;
bool ready;
int total;
struct Counter { int& number; };
__attribute__((noinline)) void count(Counter* counter) { ++counter->number; }
int main() {
  Counter counter{total};
  std::thread other([&counter] {
    count(&counter);
    std::unique_lock lock(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    while (!ready) changed.wait(lock);
  }
  other.join();
  return total - 1;
}
"""

# C's way to name a structure, beside an array: neither has a name of its own.
TYPEDEF = r"""
#include <pthread.h>
#include <stdlib.h>
int table[16];
typedef struct {
  pthread_mutex_t lock;
  long other;
  int depth;
} Worker;
Worker* workers;
static void* work(void* argument) {
  const Worker* seen = argument;
  Worker* me = argument;
  me->depth = seen->depth - 1;
  return 0;
}
int main(void) {
  workers = calloc(2, sizeof(Worker));
  table[workers[0].depth] = 1;
  pthread_t thread;
  pthread_create(&thread, 0, work, &workers[1]);
  const int depth = workers[1].depth;
  pthread_join(thread, 0);
  return depth > 0;
}
"""

# A name that only begins like the C library's own, and a better one beside it.
UNDERSCORE = r"""
#include <pthread.h>
#include <stdlib.h>
typedef struct _stritem { struct _stritem* next; unsigned short flags; } item;
struct _plain { long first; long second; };
item* items;
struct _plain* plain;
static void* work(void* unused) {
  items[1].flags |= 2;
  ++plain->second;
  return unused;
}
int main(void) {
  pthread_t thread;
  items = malloc(4096);
  plain = malloc(sizeof(struct _plain));
  pthread_create(&thread, 0, work, 0);
  items[1].flags |= 1;
  ++plain->second;
  return pthread_join(thread, 0);
}
"""

# Main has a table to itself.
LEFT_OUT = r"""
#include <thread>
long table[64];
int shared;
int main() {
  for (int i = 0; i < 64; i += 3) table[i] = i;
  std::thread other([] { ++shared; });
  ++shared;
  other.join();
}
"""


def recorder_of(folder):
    """The process that makes a recording, from the third number of its header."""
    try:
        return struct.unpack_from("<IIi", (folder / "session").read_bytes())[2]
    except (OSError, struct.error):
        return None


def by_cell(events):
    """What is done to each cell, as "rrwr"."""
    cells = {}
    for op, cell in events:
        cells[cell] = cells.get(cell, "") + op
    return cells


def is_enough_of(made, recorded):
    """Whether what was recorded of a cell is some of what was done, in that order, with the
    first read in front of the first write, if there is one, and the first write."""
    rest = iter(made)
    return all(op in rest for op in recorded) and made[0] == recorded[0] and ("w" in made) == ("w" in recorded)


def stretches(events):
    """The events between two locks of the worker, one list after the other."""
    found = [[]]
    for op, cell in events:
        if op == "s":
            found.append([])
        else:
            found[-1].append((op, cell))
    return found


def events_on_cells(trace, source):
    """What the worker does to the source's array, cell by cell, from the names of
    locations, and ("s", 0) where it locks."""
    size = 4 if "vector<int> cells" in source else 8
    made = source[:source.index(" cells(")].count("\n") + 1
    place = re.compile(rf"T1\|([rw])\(bytes?_(\d+)(?:_to_(\d+))?_of_the_object_allocated_at_\w+.cpp:{made}:")
    for line in pathlib.Path(trace).read_text().splitlines():
        if (found := place.match(line)) is not None:
            op, first, last = found.group(1), int(found.group(2)), int(found.group(3) or found.group(2))
            for cell in range(first // size, last // size + 1):
                yield op, cell
        elif line.startswith("T1|acq("):
            yield "s", 0


# Two threads hand an array to and fro, and two others race where a lock hides it; it
# goes on until somebody tells it to end.
ENDLESS = """
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
std::atomic<bool> ended;
std::atomic<int> turn;
int cells[512];
int hidden;
std::mutex mutex;
void play(int me) {
  while (!ended) {
    if (turn != me) { std::this_thread::yield(); continue; }
    for (int& cell : cells) cell = cell * 3 + me;
    turn = 1 - me;
  }
}
int main() {
  std::thread first(play, 0), second(play, 1);
  std::thread early([] { hidden = 1; std::lock_guard<std::mutex> lock(mutex); });
  early.join();
  std::thread late([] { { std::lock_guard<std::mutex> lock(mutex); } hidden = 2; });
  while (std::getchar() != EOF) {}
  ended = true;
  first.join();
  second.join();
  late.join();
}
"""


class Recording(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "race.cpp").write_text(RACE)

    def foretrace(self, *arguments, **environment):
        return subprocess.run([FORETRACE, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.path, env={**os.environ, **environment}, timeout=120)

    def build(self, *arguments, **environment):
        done = self.foretrace("c++", "race.cpp", "-o", "race", *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)

    def findings(self, *arguments, **environment):
        done = self.foretrace("run", "--analysis", "hb", "--format", "json", "-o", "found.json", *arguments,
                              "--", "./race", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.path / "found.json").read_text())

    def test_options_come_from_the_variable_and_the_file(self):
        self.build()
        self.assertEqual(self.foretrace("run", "--", "./race").returncode, 0)
        self.assertEqual(self.foretrace("run", "--", "./race", FORETRACE_OPTIONS="--exit findings").returncode, 1)
        (self.path / "foretrace.toml").write_text('[run]\nanalysis = ["hb", "race"]\nexit = "findings"\n')
        done = self.foretrace("run", "--", "./race")
        self.assertEqual(done.returncode, 1)
        # How many pairs of accesses race depends on how the threads met.
        self.assertRegex(done.stderr, r"findings: .*\(hb \d+, race \d+\)")
        # The command line goes before the variable, the variable before the file.
        self.assertEqual(self.foretrace("run", "--", "./race", FORETRACE_OPTIONS="--exit=program").returncode, 0)
        done = self.foretrace("run", "--exit", "findings", "--", "./race", FORETRACE_OPTIONS="--exit=program")
        self.assertEqual(done.returncode, 1)

    def test_a_file_in_a_folder_above_counts(self):
        self.build()
        (self.path / "foretrace.toml").write_text('[record]\noutput = "here.ftr"\n')
        below = self.path / "a" / "b"
        below.mkdir(parents=True)
        done = subprocess.run([FORETRACE, "record", "--", "../../race"], cwd=below, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((below / "here.ftr").exists())

    def test_a_structure_without_a_name_does_not_have_that_of_another(self):
        (self.path / "typedef.c").write_text(TYPEDEF)
        for level in ("-O0", "-O2"):
            self.assertEqual(self.foretrace("cc", level, "typedef.c", "-o", "race").returncode, 0)
            for finding in self.findings()["findings"]:
                # By the typedef, or where the optimiser left only an offset, by the pointer.
                self.assertRegex(finding["variable"], r"^(Worker::depth|\*\w+) of ")

    def test_names_that_begin_with_an_underscore(self):
        (self.path / "underscore.c").write_text(UNDERSCORE)
        for level in ("-O0", "-O2"):
            self.assertEqual(self.foretrace("cc", level, "underscore.c", "-o", "race").returncode, 0)
            names = {finding["variable"].split(" of ")[0] for finding in self.findings()["findings"]}
            self.assertEqual(names, {"item::flags", "_plain::second"}, level)

    def test_bad_options_are_named_with_their_place(self):
        self.build()
        for content, complaint in [
                ('[run]\nanalysis = ["hb"]\nexti = "findings"\n', "foretrace.toml:3: run has no option 'exti'; did you mean 'exit'?"),
                ('[rum]\nexit = "findings"\n', "foretrace.toml:1: 'rum' is no table of a command"),
                ('[run]\nexit = { a = 1 }\n', "foretrace.toml:2: a value is a text, a number"),
                ('[run\n', "foretrace.toml:1: "),
                ('[run]\nno-built-in = 3\n', "foretrace.toml:2: --no-built-in is true or false")]:
            (self.path / "foretrace.toml").write_text(content)
            done = self.foretrace("run", "--", "./race")
            self.assertEqual(done.returncode, 2, content)
            self.assertIn(complaint, done.stderr)
        (self.path / "foretrace.toml").unlink()
        done = self.foretrace("run", "--", "./race", FORETRACE_OPTIONS="--strenght certified")
        self.assertEqual(done.returncode, 2)
        self.assertIn("FORETRACE_OPTIONS: run has no option '--strenght'; did you mean '--strength'?", done.stderr)

    def test_suppressions_by_function_file_and_library(self):
        (self.path / "count.cpp").write_text("extern int counter; void count() { ++counter; }\n")
        (self.path / "race.cpp").write_text(RACE.replace(
            "__attribute__((noinline)) void count() { ++counter; }", "void count();"))
        done = self.foretrace("c++", "-fPIC", "-shared", "count.cpp", "-o", "libcount.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        for compiler in (None, "g++"):
            chosen = {"FORETRACE_CXX": compiler} if compiler else {}
            done = self.foretrace("c++", "-fPIC", "-shared", "count.cpp", "-o", "libcount.so", **chosen)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.build("-L.", "-lcount", f"-Wl,-rpath,{self.path}", **chosen)
            for rule, left_out in [("function=count", 1), ("file=*count.cpp", 1), ("library=*/libcount.so", 1),
                                   ("library=*/libother.so", 0), ("file=race.cpp", 0)]:
                (self.path / "rules").write_text(rule + "\n")
                report = self.findings("--suppress", "rules")
                self.assertEqual(report["left_out"]["suppressed"], left_out, (compiler, rule))
                self.assertEqual(len(report["findings"]), 1 - left_out, (compiler, rule))

    def test_ignore_lists_leave_accesses_out(self):
        for line, found in [("fun:count", 0), ("fun:_Z5countv", 0), ("src:*race.cpp", 0), ("fun:other", 1)]:
            (self.path / "ignored").write_text(f"# not ours\n{line}\n")
            self.build("-fsanitize-ignorelist=ignored")
            self.assertEqual(len(self.findings()["findings"]), found, line)
        done = self.foretrace("c++", "race.cpp", "-fsanitize-ignorelist=missing", "-o", "race")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("missing", done.stderr)
        done = self.foretrace("c++", "race.cpp", "-fsanitize-ignorelist=ignored", FORETRACE_CXX="g++")
        self.assertEqual(done.returncode, 2)
        self.assertIn("GCC has no ignore lists", done.stderr)

    def test_findings_have_calls_and_starts_of_threads(self):
        (self.path / "race.cpp").write_text("""\
#include <thread>
int counter;
static void add() { ++counter; }
__attribute__((noinline)) void deposit() { add(); asm volatile(""); }
__attribute__((noinline)) void work(int depth) {
  if (depth > 0) work(depth - 1);
  else deposit();
  asm volatile("");
}
int main() {
  std::thread first([] { work(1); asm volatile(""); });
  std::thread second(
      [] { deposit(); asm volatile(""); });
  first.join();
  second.join();
}
""")
        for compiler in (None, "g++", "clang++-14"):
            for level in ("-O0", "-O2"):
                self.build(level, **({"FORETRACE_CXX": compiler} if compiler else {}))
                for event in self.findings()["findings"][0]["events"]:
                    lines = [int(call["site"].split(":")[1]) for call in event["calls"]]
                    first = event["thread"] == "T1"
                    self.assertEqual(int(event["site"].split(":")[1]), 3, (compiler, level))
                    self.assertEqual(lines, [4, 7, 6, 11] if first else [4, 13], (compiler, level))
                    functions = [call["function"] for call in event["calls"]]
                    self.assertEqual(functions[:3], ["deposit", "work", "work"] if first else functions[:3])
                    start = event["started"].split(":")
                    self.assertTrue(start[0].startswith("by main at ") and start[0].endswith("race.cpp"), start)
                    self.assertIn(int(start[1]), (11,) if first else (12, 13), (compiler, level))

    def test_functions_that_have_returned_are_no_callers(self):
        """Also where the next one has more locals, so that the one before seems to be around it."""
        (self.path / "race.cpp").write_text("""\
#include <thread>
int counter, other;
__attribute__((noinline)) void few_locals() { other = 1; asm volatile(""); }
__attribute__((noinline)) void many_locals(int more) {
  volatile char locals[4096];
  locals[0] = 1;
  few_locals();
  if (more > 0) many_locals(more - 1);
  counter = locals[0];
}
__attribute__((noinline)) void calls_both() {
  few_locals();
  many_locals(1);
  asm volatile("");
}
int main() {
  std::thread first([] { calls_both(); asm volatile(""); });
  std::thread second([] { counter = 1; });
  first.join();
  second.join();
}
""")
        for compiler in (None, "g++", "clang++-14"):
            for level in ("-O0", "-O1", "-O2"):
                self.build(level, **({"FORETRACE_CXX": compiler} if compiler else {}))
                events = [event for finding in self.findings()["findings"] for event in finding["events"]]
                ways = [[int(call["site"].split(":")[1]) for call in event["calls"]]
                        for event in events if event["thread"] == "T1"]
                self.assertNotEqual(ways, [], (compiler, level))
                for way in ways:
                    self.assertIn(way, ([8, 13, 17], [13, 17]), (compiler, level))

    def test_handlers_on_a_stack_above_leave_the_calls_as_they_are(self):
        (self.path / "race.cpp").write_text("""\
#include <csignal>
#include <pthread.h>
#include <sys/mman.h>
int in_handler, deep, behind, outside;
__attribute__((noinline)) void few() { asm volatile("" ::: "memory"); outside = 1; }
__attribute__((noinline)) void deeper() { deep = 1; asm volatile(""); }
__attribute__((noinline)) void handler(int) {
  deeper();
  in_handler = 1;
}
__attribute__((noinline)) void inner() { behind = 1; asm volatile(""); }
__attribute__((noinline)) void outer() {
  few();
  raise(SIGUSR1);
  inner();
  asm volatile("");
}
void* work(void* high) {
  stack_t stack = {high, 0, 1 << 16};
  sigaltstack(&stack, nullptr);
  outer();
  return nullptr;
}
int main() {
  char* const all = static_cast<char*>(
      mmap(nullptr, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, all, 2 << 20);
  pthread_t thread;
  pthread_create(&thread, &attributes, work, all + (3 << 20));
  in_handler = deep = behind = outside = 2;
  pthread_join(thread, nullptr);
}
""")
        for compiler in (None, "g++", "clang++-14"):
            for level in ("-O0", "-O2"):
                self.build(level, **({"FORETRACE_CXX": compiler} if compiler else {}))
                ways = {finding["variable"]: [call["function"].split("(")[0] for call in event.get("calls", [])]
                        for finding in self.findings()["findings"] for event in finding["events"]
                        if event["thread"] == "T1"}
                self.assertEqual(ways, {"deep": ["handler", "work"], "in_handler": ["work"],
                                        "behind": ["outer", "work"], "outside": ["outer", "work"]},
                                 (compiler, level))

    def test_hooks_are_called_where_nothing_else_is_left_to_do(self):
        """Not jumped to, so that they have frames below that of their function. One does nothing but memset."""
        (self.path / "race.cpp").write_text("""\
#include <atomic>
#include <cstring>
#include <thread>
std::atomic<int> sum;
volatile int looked_at;
char filled[300];
__attribute__((noinline)) void add() { sum.fetch_add(1, std::memory_order_relaxed); }
__attribute__((noinline)) void look() { (void)looked_at; }
__attribute__((noinline)) void fill() { memset(filled, 1, 290); }
__attribute__((noinline)) void middle() {
  add();
  look();
  fill();
  asm volatile("");
}
int main() {
  std::thread thread([] { middle(); asm volatile(""); });
  *reinterpret_cast<volatile int*>(&sum) = 0;
  looked_at = 1;
  for (volatile char& byte : filled) byte = 2;
  thread.join();
}
""")
        for level in ("-O0", "-O1", "-O2"):
            self.build(level)
            ways = {(event["site"].split(":")[1], *(call["site"].split(":")[1] for call in event["calls"]))
                    for finding in self.findings()["findings"] for event in finding["events"]
                    if event["thread"] == "T1"}
            self.assertEqual(ways, {("7", "11", "17"), ("8", "12", "17"), ("9", "13", "17")}, level)

    def test_a_recording_that_was_kept_has_the_same_to_say(self):
        self.build("-g")
        kept = self.findings("--keep", "kept.ftr")["findings"]
        self.foretrace("analyze", "--analysis", "hb", "--format", "json", "-o", "again.json", "kept.ftr")
        again = json.loads((self.path / "again.json").read_text())["findings"]
        self.assertEqual(again, kept)
        self.assertTrue(again[0]["events"][0]["started"])

    def test_what_is_found_while_the_program_runs_is_said_once(self):
        (self.path / "race.cpp").write_text(ENDLESS.replace("  early.join();\n", "").replace(
            "  first.join();", "  early.join();\n  first.join();"))
        self.build("-O1")
        program = subprocess.Popen([FORETRACE, "run", "--analysis", "hb,race", "--live", "0.1", "--", "./race"],
                                   cwd=self.path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)
        line = program.stderr.readline()  # it does not end by itself
        self.assertRegex(line, r"^foretrace: after [0-9.]+ s: data race on hidden \((certified|observed) by \w+\): "
                               r"race.cpp:2[01]:\d+ and race.cpp:2[01]:\d+\n")
        time.sleep(1)  # for further looks
        _, report = program.communicate(timeout=120)
        self.assertEqual(program.returncode, 0, report)
        self.assertNotIn("foretrace: after", report)
        self.assertIn("data race on hidden", report)

    def test_nothing_is_said_of_a_program_without_errors_while_it_runs(self):
        (self.path / "race.cpp").write_text(ENDLESS)
        self.build("-O1")
        program = subprocess.Popen([FORETRACE, "run", "--live", "0.02", "--analysis", "hb,race", "--", "./race"],
                                   cwd=self.path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)
        time.sleep(2)
        _, report = program.communicate(timeout=120)
        self.assertEqual(program.returncode, 0, report)
        self.assertNotIn("foretrace: after", report)
        self.assertIn("no findings", report)

    def test_cmake_projects(self):
        (self.path / "CMakeLists.txt").write_text("""\
cmake_minimum_required(VERSION 3.20)
project(bank LANGUAGES CXX)
find_package(Threads REQUIRED)
find_package(foretrace REQUIRED)
add_library(count SHARED count.cpp)
add_executable(race race.cpp)
target_link_libraries(race count Threads::Threads)
foretrace_instrument(count)
foretrace_instrument(race)
enable_testing()
add_test(NAME race COMMAND ${FORETRACE} run --exit findings -- $<TARGET_FILE:race>)
""")
        (self.path / "count.cpp").write_text("extern int counter; void count() { ++counter; }\n")
        (self.path / "race.cpp").write_text(RACE.replace(
            "__attribute__((noinline)) void count() { ++counter; }", "void count();"))
        package = pathlib.Path(FORETRACE).parent
        for compiler in ("clang++-22", "g++", "clang++-14"):
            build = self.path / compiler
            for command in (["cmake", "-G", "Ninja", "-S", ".", "-B", build, f"-Dforetrace_DIR={package}",
                             f"-DCMAKE_CXX_COMPILER={compiler}"], ["cmake", "--build", build]):
                done = subprocess.run(command, cwd=self.path, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = subprocess.run(["ctest", "--test-dir", build, "--output-on-failure"], cwd=self.path,
                                  capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0, compiler)
            self.assertIn("data race on counter", done.stdout, compiler)

    def test_installed(self):
        prefix = self.path / "usr"
        done = subprocess.run(["cmake", "--install", pathlib.Path(FORETRACE).parent, "--prefix", prefix],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((prefix / "lib/cmake/foretrace/foretrace-config.cmake").exists())
        for words in ([], ["-static"], ["-static-pie"]):
            subprocess.run([prefix / "bin/foretrace-c++", *words, "race.cpp", "-o", "race"], cwd=self.path, check=True)
            done = subprocess.run([prefix / "bin/foretrace", "run", "--", "./race"], cwd=self.path,
                                  capture_output=True, text=True)
            self.assertIn("data race on counter  (", done.stdout + done.stderr, words)

    def test_libraries_that_are_loaded_later(self):
        (self.path / "count.cpp").write_text('int counter; extern "C" void count() { ++counter; }\n')
        (self.path / "race.cpp").write_text("""\
#include <dlfcn.h>
#include <thread>
int main() {
  void* const library = dlopen("./libcount.so", RTLD_NOW);
  if (library == nullptr) return 1;
  auto* const count = reinterpret_cast<void (*)()>(dlsym(library, "count"));
  std::thread first([=] { count(); asm volatile(""); }), second([=] { count(); asm volatile(""); });
  first.join();
  second.join();
}
""")
        for compiler in (None, "g++"):
            chosen = {"FORETRACE_CXX": compiler} if compiler else {}
            done = self.foretrace("c++", "-fPIC", "-shared", "count.cpp", "-o", "libcount.so", **chosen)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.build("-ldl", **chosen)
            (race,) = self.findings()["findings"]
            self.assertEqual(race["variable"], "counter", compiler)
            for event in race["events"]:
                self.assertIn("count.cpp:1", event["site"], compiler)
                self.assertIn("race.cpp:7", event["calls"][0]["site"], compiler)

    def test_what_a_killed_recorder_left_is_removed(self):
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("recordings are not in /dev/shm here")
        self.build()
        recorder = subprocess.Popen([FORETRACE, "record", "-o", self.path / "t.ftr", "--", "sleep", "3"],
                                    stderr=subprocess.DEVNULL)
        mine = []
        while not mine:
            time.sleep(0.05)
            mine = [folder for folder in pathlib.Path("/dev/shm").glob("foretrace-*")
                    if recorder_of(folder) == recorder.pid]
        recorder.kill()
        recorder.wait()
        self.assertTrue(mine[0].exists())
        self.findings()
        self.assertFalse(mine[0].exists())

    def test_signals_are_handed_on_to_the_program(self):
        (self.path / "race.cpp").write_text(SERVER)
        self.build("-Wno-unused-result")
        for name in ["SIGTERM", "SIGINT", "SIGUSR1", "SIGHUP"]:
            # A shell starts what is in the background with SIGINT ignored, and so it stays.
            server = subprocess.Popen([FORETRACE, "run", "--analysis", "hb", "--", "./race"], cwd=self.path,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            self.assertEqual(server.stdout.readline(), "ready\n")
            number = getattr(signal, name)
            server.send_signal(number)
            output, errors = server.communicate(timeout=60)
            self.assertEqual(output, f"ends after {number}\n", name)
            self.assertEqual(server.returncode, 7, errors)
            self.assertIn("no findings", errors)

    def test_a_run_that_is_stopped_by_timeout_reports(self):
        (self.path / "race.cpp").write_text(RACE.replace("second.join();", "second.join();\n  for (;;) usleep(9999);")
                                            .replace("#include", "#include <unistd.h>\n#include", 1))
        self.build()
        done = subprocess.run(["timeout", "3", FORETRACE, "run", "--analysis", "hb", "--", "./race"], cwd=self.path,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 124)
        self.assertIn("data race on counter", done.stderr)

    def test_joined_records_keep_the_order_of_reads_and_writes(self):
        """Accesses side by side become one record, which must not change what a read sees."""
        for name, source in (("walks", WALKS), ("sweeps", SWEEPS), ("steps", STEPS)):
            (self.path / f"{name}.cpp").write_text(source)
            built = self.foretrace("c++", "-O2", "-fno-strict-aliasing", f"{name}.cpp", "-o", name)
            self.assertEqual(built.returncode, 0)
            for seed in range(1, 25):
                done = self.foretrace("record", "-o", "kept.ftr", "--", f"./{name}", seed)
                log = [(op, int(at)) for op, at in (line.split() for line in done.stdout.splitlines())]
                self.assertEqual(self.foretrace("convert", "kept.ftr", "kept.std").returncode, 0)
                recorded = stretches(events_on_cells(self.path / "kept.std", source))
                for made, kept in zip(map(by_cell, stretches(log)), map(by_cell, recorded), strict=True):
                    self.assertEqual(made.keys(), kept.keys(), (name, seed))
                    for cell in made:
                        self.assertTrue(is_enough_of(made[cell], kept[cell]), (name, seed, cell, made[cell], kept[cell]))

    def check_order(self, text, source, level, seed):
        """Each function of a program says what it will do, and does it in one stretch."""
        (self.path / "race.cpp").write_text(text)
        self.build(level)
        done = self.foretrace("record", "-o", "kept.ftr", "--", "./race")
        log = [(op, int(at)) for op, at in (line.split() for line in done.stdout.splitlines())]
        self.assertEqual(self.foretrace("convert", "kept.ftr", "kept.std").returncode, 0)
        recorded = stretches(events_on_cells(self.path / "kept.std", source))
        for number, (made, kept) in enumerate(zip(map(by_cell, stretches(log)), map(by_cell, recorded), strict=True)):
            self.assertEqual(made.keys(), kept.keys(), (level, seed, number))
            for cell in made:
                self.assertTrue(is_enough_of(made[cell], kept[cell]),
                                (level, seed, number, cell, made[cell], kept[cell]))

    def test_reads_that_are_looked_at_together_keep_their_order(self):
        for seed in range(1, 13):
            self.check_order(fields_source(seed), FIELDS, "-O2", seed)

    def test_loops_in_loops_keep_the_order_of_reads_and_writes(self):
        for seed in range(1, 13):
            self.check_order(nests_source(seed), NESTS, "-O3" if seed % 4 == 0 else "-O2", seed)

    def test_what_is_exchanged_is_looked_at_once(self):
        numbers = self.count_hooks(EXCHANGED, EXCHANGED_COUNTING, "-O2")
        hooks = [tuple(numbers[i:i + 3]) for i in range(0, len(numbers), 3)]
        self.assertEqual(hooks, [(2, 0, 0), (2, 0, 0), (0, 2, 1), (0, 1, 2),
                                 (0, 2, 2), (0, 2, 2), (0, 2, 1), (0, 1, 2)])

    def test_what_a_loop_does_in_each_round_is_recorded_once(self):
        numbers = self.count_hooks(ROUNDS, ROUNDS_COUNTING, "-O2")
        hooks = [tuple(numbers[i:i + 3]) for i in range(0, len(numbers), 3)]
        self.assertEqual(hooks, [
            (2, 0, 40), (0, 0, 40), (1, 0, 40),           # age: once, however often it goes round
            (2, 0, 0), (0, 0, 0), (1, 0, 0),              # and not at all where there is nothing
            *((1, 0, 40), (0, 0, 40)) * 3,                # sums: it reads what it has written
            *((0, row, 40) for row in (0, 10, 20)),       # rows: each time others
            (2, 0, 40),                                   # age, of what is known
            *((0, 0, 40), (1, 0, 40)) * 2])               # and while threads are steered

    def test_each_lock_has_its_own_calls(self):
        (self.path / "race.cpp").write_text(LOCKED_TWO_WAYS)
        for level in ("-O0", "-O2"):
            self.build(level)
            [finding] = self.findings("--analysis", "deadlock")["findings"]
            for event in finding["events"]:
                callers = [call["function"].split("(")[0] for call in event["calls"]]
                self.assertIn("forth" if event["thread"] == "T1" else "back", callers, (level, event))
                self.assertNotIn("back" if event["thread"] == "T1" else "forth", callers, (level, event))

    def test_locals_that_are_only_handed_on_are_not_recorded(self):
        (self.path / "race.cpp").write_text(HANDED_ON)
        self.build("-O2")
        self.assertEqual(self.foretrace("record", "-o", "run.ftr", "--", "./race").returncode, 0)
        self.assertEqual(self.foretrace("convert", "run.ftr", "run.std").returncode, 0)
        trace = (self.path / "run.std").read_text()
        self.assertEqual({access for access in re.findall(r"^(.*?\|[rw]\(.*?\))", trace, re.M) if "allocated" not in access},
                         {"T1|w(shared)", "main|r(shared)", "main|w(shared)"})

    def count_hooks(self, source, counting, *arguments):
        """The numbers that a main prints: of the other hooks, those of reads count in `reads`."""
        (self.path / "counted.cpp").write_text(source)
        done = self.foretrace("c++", *arguments, "-c", "counted.cpp", "-o", "counted.o")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = subprocess.run(["nm", "-u", "counted.o"], cwd=self.path, capture_output=True, text=True).stdout
        hooks = set(re.findall(r"__foretrace_\w+", names)) - {"__foretrace_active"}
        (self.path / "hooks.c").write_text(counting + "".join(
            f"void {hook}(void) {{ {'++reads;' if '_read' in hook else ''} }}\n"
            for hook in sorted(hooks) if hook not in counting))
        subprocess.run(["clang-22", "hooks.c", "counted.o", "-o", "count"], cwd=self.path, check=True)
        done = subprocess.run(["./count"], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        return [int(number) for number in done.stdout.split()]

    def count_reads(self, *arguments):
        """How often read hooks are called in COVERED: recorded, then steered."""
        return self.count_hooks(COVERED, COUNTING, *arguments)

    def test_reads_that_surely_come_are_looked_at_with_the_first(self):
        for flags in ("-O1", "-O2"):
            recorded, steered = [], []
            numbers = self.count_hooks(EARLY, EARLY_COUNTING, flags)
            for half, into in ((numbers[:10], recorded), (numbers[10:], steered)):
                into += [tuple(half[i:i + 2]) for i in range(0, 10, 2)]
            # A look for each node, and one more where something else is read than before.
            self.assertEqual(recorded, [(3, 0), (2, 1), (0, 3), (0, 2), (0, 8)])
            self.assertEqual(steered, [(0, 9), (0, 9), (0, 3), (0, 2), (0, 8)])

    def test_a_loop_that_goes_in_steps_has_one_hook(self):
        numbers = self.count_hooks(STRIDED, STRIDED_COUNTING, "-O2")
        hooks = [tuple(numbers[i:i + 5]) for i in range(0, len(numbers), 5)]
        self.assertEqual(hooks, [
            (0, 1, 800, 40, 8),                           # column
            (1, 49 * 5 + 2, -40, 50, 8),                  # stop
            (4, 0, 16, 20, 16), (2, 0, 16, 20, 16), (3, 0, 16, 20, 16),  # swap_parts: reads are first,
            (4, 0, 16, 20, 16),                           # and what was written is looked at once
            *((1, i * i, 0, 1, 8) for i in range(3)),     # squares
            *((1, i * 7, 0, 1, 8) for i in range(3))])    # three

    def test_blocks_stay_known_however_many_threads_change_them(self):
        """Else the loop's accesses are recorded one by one, each a location of its own."""
        (self.path / "race.cpp").write_text("""\
#include <cstdlib>
#include <thread>
#include <vector>
__attribute__((noinline)) long loop(int* to, const int* next, const int* from) {
  long sum = 0;
  for (int i = 0; i < 2000; ++i) {
    to[i] = i;
    sum += from[next[i]];
  }
  return sum;
}
int main() {
  std::vector<void*> kept(500);
  for (void*& block : kept) block = std::malloc(20000);
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([] {
      for (int i = 0; i < 20000; ++i) {
        void* const block = std::malloc(20000);
        asm volatile("" : : "r"(block) : "memory");
        std::free(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int* const to = static_cast<int*>(std::malloc(40000));
  int* const next = static_cast<int*>(std::malloc(40000));
  const int* const from = static_cast<int*>(std::calloc(1, 40000));
  for (int i = 0; i < 2000; ++i) next[i] = i * 7 % 2000;
  return loop(to, next, from) != 0;
}
""")
        self.build("-O2")
        done = self.foretrace("record", "-o", "run.ftr", "--", "./race")
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.foretrace("info", "run.ftr").stdout
        locations = int(re.search(r"on ([\d,]+) locations", info)[1].replace(",", ""))
        self.assertLess(locations, 3000, info)  # what `from` points to: 2000

    def test_what_the_caller_has_read_is_looked_at_once(self):
        look, even, more, *steered = self.count_reads("-O2")
        self.assertEqual((look, even), (1, 1))
        self.assertEqual(more, 9)
        self.assertEqual(steered, [8, 7, 9])
        self.assertEqual(self.count_reads("-O0")[:3], self.count_reads("-O0")[3:])
        (self.path / "ignored.txt").write_text("fun:look\n")
        look, even, more, *steered = self.count_reads("-O2", "-fsanitize-ignorelist=ignored.txt")
        self.assertEqual((look, even, more), (0, 1, 9))

    def test_each_access_has_its_own_calls(self):
        (self.path / "race.cpp").write_text(TWO_WAYS)
        self.build("-O2")
        calls = {}
        for finding in self.findings()["findings"]:
            for event in finding["events"]:
                if event["thread"] == "T1":
                    calls[finding["variable"]] = [call["function"] for call in event["calls"]]
        self.assertEqual(len(calls), 60)
        for variable, functions in calls.items():
            functions = [function.split("(")[0] for function in functions]
            self.assertIn(functions[:2], (["odd", "first"], ["even", "first"]), variable)
        self.assertEqual(sum(functions[0].startswith("odd") for functions in calls.values()), 30)

    def test_recursions_of_many_ways_are_shown_shortened(self):
        """A stack for each way down would fill the recording."""
        (self.path / "race.cpp").write_text(MANY_WAYS)
        self.build("-O2")
        findings = self.findings("--keep", "run.ftr")["findings"]
        walks = set()
        for event in (event for finding in findings for event in finding["events"]):
            if event["thread"] == "T1":
                functions = [call["function"].split("(")[0] for call in event["calls"]]
                self.assertEqual(functions, ["walk"] * (len(functions) - 1) + ["first"])
                walks.add(len(functions))
        self.assertNotEqual(walks, set())
        self.assertLessEqual(max(walks), 10)
        self.assertLess((self.path / "run.ftr").stat().st_size, 500_000)

    def test_references_and_lock_objects_are_not_recorded(self):
        (self.path / "race.cpp").write_text(BOUND)
        self.build("-O2")
        self.assertEqual(self.foretrace("record", "-o", "run.ftr", "--", "./race").returncode, 0)
        self.assertEqual(self.foretrace("convert", "run.ftr", "run.std").returncode, 0)
        trace = (self.path / "run.std").read_text()
        self.assertEqual(set(re.findall(r"^T1\|r\((.*?)\)", trace, re.M)), {"*Counter::number"})
        self.assertEqual(set(re.findall(r"^main\|r\((ready|.*unique_lock.*)\)", trace, re.M)), {"ready"})

    def test_indexes_of_findings_are_those_of_what_was_analyzed(self):
        """Accesses that no schedule can reorder are not counted."""
        (self.path / "race.cpp").write_text(LEFT_OUT)
        self.build()
        findings = self.findings("--keep", "run.ftr")["findings"]
        self.assertNotEqual(findings, [])
        for arguments, fit in ((["--as-analyzed"], True), ([], False)):
            self.assertEqual(self.foretrace("convert", "run.ftr", "run.std", *arguments).returncode, 0)
            lines = (self.path / "run.std").read_text().splitlines()
            for event in (event for finding in findings for event in finding["events"]):
                said = f"{event['thread']}|{event['op'][0]}({event['object']})|{event['site']}"
                self.assertEqual(lines[event["index"]] == said, fit)

    def test_the_first_thread_is_main_though_it_records_nothing_before_the_others(self):
        (self.path / "race.cpp").write_text(INLINE)
        self.assertEqual(self.foretrace("cc", "-x", "c", "-O2", "race.cpp", "-o", "race").returncode, 0)
        events = self.findings()["findings"][0]["events"]
        self.assertEqual({event["thread"] for event in events}, {"T1", "T2"})
        self.assertTrue(all(event["started"].startswith("by main at") for event in events))

    def test_the_child_of_fork_does_not_see_the_stamps_of_its_parent(self):
        (self.path / "race.cpp").write_text(FORKED)
        self.build("-O2")
        self.assertEqual(self.foretrace("record", "-o", "run.ftr", "--", "./race").returncode, 0)
        done = self.foretrace("convert", "run.ftr", "run.std")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.path / "run.std").read_text().splitlines()
        self.assertLess(sum(line.startswith("p1/") for line in lines), 20)

    def test_inline_functions_of_c_are_inlined(self):
        (self.path / "race.cpp").write_text(INLINE)
        done = self.foretrace("cc", "-x", "c", "-std=c11", "-O2", "race.cpp", "-o", "race")
        self.assertEqual(done.returncode, 0, done.stderr)
        race = self.findings()["findings"][0]
        self.assertEqual(race["variable"], "counter")

    def test_a_compiler_that_is_none(self):
        done = self.foretrace("c++", "race.cpp", FORETRACE_CXX="no-such-compiler")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no-such-compiler", done.stderr)


if __name__ == "__main__":
    unittest.main()
