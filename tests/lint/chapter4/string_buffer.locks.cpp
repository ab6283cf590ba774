// Section 4.6.8: Java's StringBuffer, which had this error. append() asks the other
// buffer for its length and then for that many characters; the other may have become
// shorter. The wrapped buffer is the library's.
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class MyStringBuffer {
 public:
  explicit MyStringBuffer(const std::string& text) : buffer_(text) {}

  MyStringBuffer& append(MyStringBuffer& other) {
    size_t length = other.length();
    // ...other threads may change the length of `other`,
    // ...so length does not reflect the length of `other`
    std::vector<char> value(length);
    other.get_chars(0, length, value.data());  // EXPECT: RwR
    // ...
    return *this;
  }

  size_t length() {
    size_t length;
    {
      std::lock_guard lock(mutex_);
      length = buffer_.length();
    }
    return length;
  }

  void get_chars(size_t begin, size_t count, char* to) {
    {
      std::lock_guard lock(mutex_);
      buffer_.copy(to, count, begin);
    }
  }

  void erase(size_t begin, size_t count) {
    {
      std::lock_guard lock(mutex_);
      buffer_.erase(begin, count);
    }
  }

 private:
  std::string buffer_;
  std::mutex mutex_;
};

int main() {
  MyStringBuffer ham("ham");
  MyStringBuffer burger("burger");
  std::thread appends([&] { ham.append(burger); });
  std::thread erases([&] { burger.erase(0, 3); });
  appends.join();
  erases.join();
}
