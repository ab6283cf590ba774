// The way to a value is no value: `list` and `list->head` count once.
#include <mutex>
#include <thread>

struct Node {
  int value = 0;
};
struct List {
  Node* head = new Node();
};

static std::mutex m;
static List* list = new List();

static int head_value() {
  std::lock_guard<std::mutex> lock(m);
  return list->head->value;
}

static void run() {
  head_value();
  head_value();
}

static void replace() {
  std::lock_guard<std::mutex> lock(m);
  list = new List();
  list->head = new Node();
  list->head->value = 1;
}

int main() {
  std::thread a(run), b(replace);
  a.join();
  b.join();
}
