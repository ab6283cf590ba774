// Loops in which the second of two reads of one object is made in some rounds only, though control
// surely comes to it in the end: of another object. The reader goes left, and the other thread
// writes what it would read if it went right; and a list is walked down under a lock, of which
// only one's own are read on.
// expect none
#include <mutex>
#include <thread>

struct Node {
  long key = 0;
  Node* left = nullptr;
  Node* right = nullptr;
};
static Node nodes[8];
static Node other;
static const Node* found;

__attribute__((noinline)) const Node* find(const Node* node, long key) {
  for (;;) {
    if (key < node->key) {
      node = node->left;
      continue;
    }
    const Node* const right = node->right;
    if (right == nullptr) return node;
    node = right;
  }
}

struct Task {
  long owner = 0;
  long data = 0;
};
static Task tasks[8];
static std::mutex mutex;
static unsigned next_task = 0;

__attribute__((noinline)) long first_of(long me) {
  for (;;) {
    mutex.lock();
    Task* const task = &tasks[next_task++ % 8];
    mutex.unlock();
    if (task->owner != me) continue;
    if (const long data = task->data) return data;
  }
}

static long results[2];

int main() {
  for (int i = 0; i < 7; ++i) {
    nodes[i].key = 100;
    nodes[i].left = &nodes[i + 1];
  }
  for (int i = 0; i < 8; ++i) tasks[i] = {i % 2, 1};
  std::thread reader([] {
    found = find(&nodes[0], 5);
    results[0] = first_of(0);
  });
  std::thread writer([] {
    for (int i = 0; i < 7; ++i) nodes[i].right = &other;
    for (int i = 1; i < 8; i += 2) tasks[i].data = 2;
    results[1] = first_of(1);
  });
  reader.join();
  writer.join();
  return found != &nodes[7] || results[0] != 1 || results[1] != 2;
}
