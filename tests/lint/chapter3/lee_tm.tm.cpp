// Section 3.6.13: LeeTM lays tracks on a circuit board. The thesis shows only where its
// blocks are (appendix A.1.13); this is a small router with the same parts. Tracks are
// taken from the queue, laid and counted in blocks. Two plain flags are not protected:
// `stop`, which main sets once to end the threads, and `sample_now`, by which it asks
// a thread for a sample. Both are races.
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kSize = 32;

struct Track {
  int x1, y1, x2, y2, number;
};

class LeeRouter {
 public:
  LeeRouter() {
    for (int i = 1; i < kSize; i++) work_.push_back(Track{0, i, i, 0, i});
  }

  bool get_next_track(Track* track) {
    __transaction_relaxed {
      if (work_.empty()) return false;
      *track = work_.back();
      work_.pop_back();
      return true;
    }
  }

  bool lay_next_track(const Track& track) {
    __transaction_relaxed {
      return connect(track);
    }
  }

  // After all threads have ended.
  int laid_cells() const {
    int cells = 0;
    for (const auto& row : grid_) {
      for (const int cell : row) cells += cell != 0 ? 1 : 0;
    }
    return cells;
  }

 private:
  bool connect(const Track& track) {
    for (int x = track.x1; x <= track.x2; x++) {
      if (grid_[x][track.y1] != 0) return false;
    }
    for (int x = track.x1; x <= track.x2; x++) grid_[x][track.y1] = track.number;
    return true;
  }

  std::vector<Track> work_;
  int grid_[kSize][kSize] = {};
};

class LeeThread {
 public:
  static bool stop;
  static long total_laid_tracks;
  bool sample_now = false;

  explicit LeeThread(LeeRouter& router) : router_(router) {}
  void start() {
    thread_ = std::thread(&LeeThread::run, this);
  }
  void join() { thread_.join(); }

 private:
  void run() {
    Track track;
    while (!stop && router_.get_next_track(&track)) {  // EXPECT: data-race rd with wr #stop
      if (router_.lay_next_track(track)) my_laid_tracks_++;
      if (sample_now) collect_statistics();  // EXPECT: data-race rd with wr #sample
    }
    collect_statistics();
  }

  void collect_statistics() {
    __transaction_atomic {
      total_laid_tracks += my_laid_tracks_;
      my_laid_tracks_ = 0;
    }
  }

  LeeRouter& router_;
  long my_laid_tracks_ = 0;
  std::thread thread_;
};

bool LeeThread::stop = false;
long LeeThread::total_laid_tracks = 0;

int main() {
  LeeRouter router;
  std::vector<LeeThread*> threads;
  for (int i = 0; i < 4; i++) threads.push_back(new LeeThread(router));
  for (LeeThread* thread : threads) thread->start();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (LeeThread* thread : threads) {
    thread->sample_now = true;  //#sample
  }
  LeeThread::stop = true;  //#stop
  for (LeeThread* thread : threads) thread->join();
  std::printf("%ld tracks, %d cells\n", LeeThread::total_laid_tracks, router.laid_cells());
}
