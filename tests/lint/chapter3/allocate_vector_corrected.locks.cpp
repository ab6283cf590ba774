// Section 3.6.12 with the method that looks and marks in one block. No race.
#include <cstdlib>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

class AllocationVector {
 public:
  explicit AllocationVector(int size) : vector_(new char[size]), size_(size) {
    for (int i = 0; i < size; i++) vector_[i] = 'F';
  }
  ~AllocationVector() { delete[] vector_; }

  // The index of a free block, or -1.
  int get_free_block_index() {
    {
      std::lock_guard lock(mutex_);
      static const int kPrimes[] = {1,  2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
      const double random = static_cast<double>(std::rand()) / RAND_MAX;
      const int start = static_cast<int>((size_ - 1) * random);
      const int interval = kPrimes[static_cast<int>(16 * random)];
      int i = start;
      int count = 0;
      if (random > 0.5) {
        for (; count < size_ && vector_[i] != 'F'; count++) i = (i + interval) % size_;
      } else {
        for (; count < size_ && vector_[i] != 'F'; count++) {
          i = i - interval;
          if (i < 0) i = i + size_;
        }
      }
      return count == size_ ? -1 : i;
    }
  }

  void mark_as_allocated_block(int i) {
    {
      std::lock_guard lock(mutex_);
      if (vector_[i] != 'A') {
        vector_[i] = 'A';
      } else {
        throw std::runtime_error("Allocation");
      }
    }
  }

  void mark_as_free_block(int i) {
    {
      std::lock_guard lock(mutex_);
      if (vector_[i] != 'F') {
        vector_[i] = 'F';
      } else {
        throw std::runtime_error("Freeing");
      }
    }
  }

 private:
  friend class TestThread;
  char* vector_;  // 'F': free, 'A': allocated
  const int size_;
  std::recursive_mutex mutex_;
};

class TestThread {
 public:
  TestThread(AllocationVector& vector, std::vector<int>& result) : vector_(vector), result_(result) {}

  void start() {
    thread_ = std::thread(&TestThread::run, this);
  }
  void join() { thread_.join(); }

 private:
  void alloc_block(size_t i) {
    {
      std::lock_guard lock(vector_.mutex_);
      result_[i] = vector_.get_free_block_index();
      if (result_[i] != -1) {
        vector_.mark_as_allocated_block(result_[i]);
      }
    }
  }

  void run() {
    try {
      for (size_t i = 0; i < result_.size(); i++) alloc_block(i);
      for (size_t i = 0; i < result_.size(); i++) {
        if (result_[i] != -1) vector_.mark_as_free_block(result_[i]);
      }
    } catch (const std::runtime_error& error) {
      result_[0] = error.what() == std::string("Allocation") ? -2 : -3;
    }
  }

  AllocationVector& vector_;
  std::vector<int>& result_;
  std::thread thread_;
};

int main() {
  AllocationVector vector(20000);
  std::vector<int> first_result(1000);
  std::vector<int> second_result(1000);
  TestThread first(vector, first_result);
  TestThread second(vector, second_result);
  first.start();
  second.start();
  first.join();
  second.join();
  if (first_result[0] == -2 || second_result[0] == -2) {
    std::printf("tried to allocate a block that is allocated\n");
  } else if (first_result[0] == -3 || second_result[0] == -3) {
    std::printf("tried to free a block that is free\n");
  } else {
    std::printf("correct run\n");
  }
}
