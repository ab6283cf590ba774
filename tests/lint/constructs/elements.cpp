// Elements of an array: other constants are other memory, and so are those of the number that
// each thread of a loop is given. An array of locks beside the array that they protect.
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

struct Account {
  int balance;
};

static int pair[2], same[2];
static Account accounts[8];
static std::mutex locks[8];
static int locked[8], wrongly[8], first;
static std::vector<bool> bits(8);

static void fill(int number, int* values) { values[number] = 1; }
static void fill_first(int* values) { values[0] = 1; }  //#fill EXPECT: data-race wr with wr #fill
static void set(std::vector<int>& values, size_t number) { values.at(number) = 1; }
static void pass(std::vector<int>& values, size_t number) { set(values, number); }

static void add(int key) {
  const int k = key % 8;
  std::lock_guard<std::mutex> guard(locks[k]);
  locked[k]++;
}

static void add_wrongly(int key, int other) {
  std::lock_guard<std::mutex> guard(locks[key]);
  wrongly[other] = 1;  //#wrongly EXPECT: data-race wr with wr #wrongly
}

static void first_one() {
  std::lock_guard<std::mutex> guard(locks[0]);
  first++;
}

int main() {
  std::thread a([] { pair[0] = 1; });
  std::thread b([] { pair[1] = 2; });
  std::thread c([] { same[1] = 1; });  //#same
  std::thread d([] { same[1] = 2; });  // EXPECT: data-race wr with wr #same
  int results[8], plain[8], halves[8], later[8], all[8];
  std::vector<int> values(8), others(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++) {
    const int id = i;
    threads.emplace_back([&results, i] { results[i] = i; });
    threads.emplace_back([&, id] { accounts[id].balance++; });
    threads.push_back(std::thread(fill, i, plain));
    threads.push_back(std::thread(pass, std::ref(values), i));
    threads.emplace_back(fill_first, all);
    threads.emplace_back(add, i);
    threads.emplace_back(first_one);
    threads.emplace_back(add_wrongly, i, i / 2);
    threads.emplace_back([&halves, i] { halves[i / 2] = i; });  //#halves EXPECT: data-race wr with wr #halves
    threads.emplace_back([i] { bits[i] = true; });  //#bits EXPECT: data-race wr with wr #bits
  }
  for (int i = 0; i < 8; i++) {  // EXPECT: data-race
    threads.emplace_back([&later, &i] { later[i] = 1; });  //#later EXPECT: data-race wr with wr #later
  }
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      threads.emplace_back([&others, i] { others[i] = i; });  //#others EXPECT: data-race wr with wr #others
    }
  }
  for (std::thread& thread : threads) thread.join();
  a.join();
  b.join();
  c.join();
  d.join();
  return results[0] + plain[1] + values[2] + halves[0];
}
