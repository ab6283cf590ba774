// Section 3.6.9 as it came (listing 3.13): no block at all, so both versions are the
// same. JChord saw the four races of the selling posts with each other; those with
// main, which the thesis says are missed, are here too.
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

class Airline {
 public:
  Airline(int size, int cushion) : tickets_issued_(size), maximum_capacity_(size - cushion) {}
  ~Airline() {
    for (std::thread& thread : threads_) thread.join();
  }

  void sell() {
    for (int i = 0; i < tickets_issued_; i++) {
      if (stop_sales_) {  // EXPECT: data-race rd with wr #stop
        // EXPECT-NEXT: data-race rd with wr #sell; data-race wr with rd #sell
        // EXPECT-NEXT: data-race wr with wr #sell; data-race wr with rd #check
        seats_sold--;
        break;
      }
      threads_.emplace_back(&Airline::run, this);  // "make the sale !!!"
    }
    if (seats_sold > maximum_capacity_) {  // EXPECT: data-race rd with wr #sell
      throw std::runtime_error("bug found");
    }
  }

 private:
  // The selling post.
  void run() {
    // EXPECT-NEXT: data-race rd with wr #sell; data-race wr with wr #sell
    seats_sold++;  //#sell
    // EXPECT-NEXT: data-race rd with wr #sell
    if (seats_sold > maximum_capacity_) {  //#check
      // EXPECT-NEXT: data-race wr with wr #stop
      stop_sales_ = true;  //#stop
    }
  }

  static int seats_sold;
  const int tickets_issued_;
  const int maximum_capacity_;
  bool stop_sales_ = false;
  std::vector<std::thread> threads_;
};

int Airline::seats_sold = 0;

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 10;
  const int cushion = argc > 2 ? std::atoi(argv[2]) : 3;
  Airline airline(threads, cushion);
  airline.sell();
}
