// Reference counts are atomic; the object is read only.
// expect none
#include <memory>
#include <thread>

int main() {
  auto shared = std::make_shared<const int>(42);
  int seen[2] = {0, 0};
  {
    std::thread first([&seen, shared] { seen[0] = *shared; });
    std::thread second([&seen, copy = shared]() mutable {
      seen[1] = *copy;
      copy.reset();
    });
    first.join();
    second.join();
  }
  return seen[0] + seen[1] != 84;
}
