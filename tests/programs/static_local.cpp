// A local static object is initialised once, by a guard of the compiler.
// expect none
#include <string>
#include <thread>

const std::string& greeting() {
  static const std::string text = std::string("hello, ") + "world, and all who read this";
  return text;
}

int main() {
  size_t sizes[2];
  std::thread first([&] { sizes[0] = greeting().size(); });
  std::thread second([&] { sizes[1] = greeting().size(); });
  first.join();
  second.join();
  return sizes[0] != sizes[1];
}
