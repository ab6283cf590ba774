// Section 4.6.6: threads take a value from a buffer, compute, and add the result. That is
// correct: what was taken is the thread's own. But it looks like a value that was read,
// and is written back late; a warning is a false one.
#include <thread>

// As in the thesis: no real buffer, it only reads and writes what one would.
class Buffer {
 public:
  int next() {
    int result;
    __transaction_atomic {
      head_ = head_ + 1;
      result = cell_;
    }
    return result;
  }
  void add(int x) {
    __transaction_atomic {
      tail_ = tail_ + 1;
      cell_ = x;
    }
  }

 private:
  int cell_ = 0;
  int head_ = 0;
  int tail_ = 0;
};

class Worker {
 public:
  explicit Worker(Buffer* buffer) : buffer_(buffer) {}

  void run() { work(); }

 private:
  void work() {
    int value, fdata;
    while (true) {
      value = buffer_->next();
      fdata = f(value);  // long computation
      buffer_->add(fdata);
    }
  }

  int f(int x) { return x * x; }

  Buffer* buffer_;
};

int main() {
  Buffer* const buffer = new Buffer();
  Worker first(buffer), second(buffer), third(buffer);
  std::thread a(&Worker::run, &first);
  std::thread b(&Worker::run, &second);
  std::thread c(&Worker::run, &third);
  a.join();
  b.join();
  c.join();
}
