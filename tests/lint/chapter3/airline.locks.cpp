// Section 3.6.9, corrected (listing 3.14): every sale is checked and made in one block,
// and what main does outside of blocks comes after all joins. No race.
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Airline {
 public:
  Airline(int size, int cushion) : tickets_issued_(size), maximum_capacity_(size - cushion) {}

  void sell() {
    bool out = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < tickets_issued_; i++) {
      // First the airline looks whether its agents have sold all the seats.
      if (check_stop_sales() != 0) {
        out = true;
        break;
      }
      threads.emplace_back(&Airline::run, this);  // "make the sale !!!"
    }
    for (std::thread& thread : threads) thread.join();
    // The loop may have ended before the threads did: then one was sold too many.
    if (stop_sales_ && !out) seats_sold--;
    if (seats_sold > maximum_capacity_) throw std::runtime_error("this should not happen");
  }

 private:
  int check_stop_sales() {
    {
      std::lock_guard lock(mutex_);
      if (stop_sales_) {
        seats_sold--;
        return -1;
      }
      return 0;
    }
  }

  // The selling post.
  void run() {
    {
      std::lock_guard lock(mutex_);
      if (!stop_sales_) seats_sold++;                        // making the sale
      if (seats_sold > maximum_capacity_) stop_sales_ = true;  // checking, updating
    }
  }

  static int seats_sold;
  const int tickets_issued_;
  const int maximum_capacity_;
  bool stop_sales_ = false;
  std::mutex mutex_;
};

int Airline::seats_sold = 0;

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 10;
  const int cushion = argc > 2 ? std::atoi(argv[2]) : 3;
  Airline airline(threads, cushion);
  airline.sell();
}
