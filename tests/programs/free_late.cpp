// A node is deleted while another thread may still read it: the read comes first here.
// expect race: data-race Node::value*
#include <chrono>
#include <mutex>
#include <thread>

struct Node {
  int value;
  int other;
};
std::mutex mutex;
Node* shared = nullptr;
int seen = 0;

int main() {
  shared = new Node{1, 2};
  Node* const node = shared;
  std::thread reader([node] {
    seen = node->value;
    const std::lock_guard guard(mutex);
  });
  std::thread owner([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    {
      const std::lock_guard guard(mutex);
    }
    delete shared;
  });
  reader.join();
  owner.join();
}
