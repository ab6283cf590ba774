// A tree is gone down while another thread writes what is read last in each node: that is recorded
// together with what is read first, and races.
// expect race: data-race *right
// expect race: data-race *value
// compilers: plugin
#include <thread>

struct Node {
  Node* left = nullptr;
  long value = 1;
  Node* right = nullptr;
};
static Node nodes[7];
static Node more;
static long total;

__attribute__((noinline)) static long sum(const Node* node) {
  if (node == nullptr) return 0;
  const long before = sum(node->left);
  return before + node->value + sum(node->right);
}

int main() {
  for (int i = 0; i < 3; ++i) {
    nodes[i].left = &nodes[2 * i + 1];
    nodes[i].right = &nodes[2 * i + 2];
  }
  std::thread reader([] { total = sum(&nodes[0]); });
  std::thread writer([] {
    nodes[4].value = 2;  // is read first
    nodes[2].right = &more;
  });
  reader.join();
  writer.join();
  return total < 7 || total > 9;
}
