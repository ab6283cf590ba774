// What looks like a thread's own and is not: a new object after it was published, a variable on a
// stack whose thread still lives, an element whose number other threads have too.
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Node {
  int value = 0;
  Node* next = nullptr;
};

static std::mutex m;
static Node* list;
static std::vector<std::unique_ptr<Node>> store;
static int elements[4];

static Node* make() {
  Node* node = new Node;
  {
    std::lock_guard<std::mutex> guard(m);
    node->next = list;
    list = node;
  }
  node->value = 1;  //#made
  return node;
}

static int sum() {
  std::lock_guard<std::mutex> guard(m);
  int result = 0;
  for (Node* node = list; node != nullptr; node = node->next) {
    result += node->value;  // EXPECT: data-race rd with wr #made
  }
  return result;
}

static void add() {
  auto node = std::make_unique<Node>();
  Node* pointer = node.get();
  {
    std::lock_guard<std::mutex> guard(m);
    store.push_back(std::move(node));
  }
  pointer->value = 2;  //#stored
}

static int look() {
  std::lock_guard<std::mutex> guard(m);
  return store.empty() ? 0 : store[0]->value;  // EXPECT: data-race rd with wr #stored
}

static void start(int& variable) {
  std::thread([&variable] { variable = 1; }).detach();  //#detached
}

static int leave() {
  int variable = 0;
  start(variable);
  variable = 2;  // EXPECT: data-race wr with wr #detached
  return 0;
}

static void set(int number) {
  elements[number] = 1;  //#set EXPECT: data-race wr with wr #set
}

struct Registered {
  Registered() {
    std::lock_guard<std::mutex> guard(m);
    last = this;
  }
  int number = 0;
  static Registered* last;
};
Registered* Registered::last;

static void enter() {
  Registered* made = new Registered;
  made->number = 3;  //#entered
}

static int last_number() {
  std::lock_guard<std::mutex> guard(m);
  return Registered::last != nullptr
             ? Registered::last->number  // EXPECT: data-race rd with wr #entered
             : 0;
}

int main() {
  std::thread a(make), b(sum), c(add), d(look), e(leave), f(enter), g(last_number);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(set, i / 2);
  for (std::thread& thread : threads) thread.join();
  for (std::thread* thread : {&a, &b, &c, &d, &e, &f, &g}) thread->join();
}
