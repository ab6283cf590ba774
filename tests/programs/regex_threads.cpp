// Threads with regular expressions of their own: std::ctype, which they share, keeps what it was
// asked for without any order. That is known, and suppressed.
// expect none
#include <cstdio>
#include <regex>
#include <string>
#include <thread>

static void match(int number, int& found) {
  const std::regex pattern("([a-z]+)([0-9]+)");
  const std::string text = "abc" + std::to_string(number);
  std::smatch parts;
  if (std::regex_match(text, parts, pattern)) found = static_cast<int>(parts[1].length());
}

int main() {
  int one = 0;
  int other = 0;
  std::thread first(match, 1, std::ref(one));
  std::thread second(match, 22, std::ref(other));
  first.join();
  second.join();
  std::printf("%d\n", one + other);
  return one + other == 6 ? 0 : 1;
}
