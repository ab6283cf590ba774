// Section 4.6.14: the least moves of a knight to its prey, by a thread for each move. A
// thread looks at the best solution for its square and sets its own in another block.
// What main does comes before the first thread or after all have ended: each waits for
// those that it started.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

struct Point {
  int x, y;
};

class KnightMoves {
 public:
  static constexpr int kWidth = 8;

  KnightMoves(Point knight, Point prey) : knight_(knight), prey_(prey) {}

  void solve();
  void solve_correct();

  Point prey() const { return prey_; }

  int get_solution(Point p) {
    int x;
    {
      std::lock_guard lock(mutex_);
      x = solution_[p.x][p.y];
    }
    return x;
  }

  void set_solution(Point p, int moves) {
    {
      std::lock_guard lock(mutex_);
      solution_[p.x][p.y] = moves;
    }
  }

  int get_moves() { return get_solution(prey_); }

 private:
  void reset_solution() {
    for (int i = 0; i < kWidth; i++) {
      for (int j = 0; j < kWidth; j++) solution_[i][j] = INT_MAX;
    }
  }

  Point knight_;
  Point prey_;
  int solution_[kWidth][kWidth];
  std::mutex mutex_;
};

static int next_squares(Point me, Point* next) {
  int count = 0;
  const int m[] = {1, -1};
  for (int i = 1; i <= 2; i++) {
    for (int k = 0; k < 2; k++) {
      for (int l = 0; l < 2; l++) {
        const Point n{i * m[k] + me.x, (3 - i) * m[l] + me.y};
        if (n.x >= 0 && n.y >= 0 && n.x < KnightMoves::kWidth && n.y < KnightMoves::kWidth) {
          next[count++] = n;
        }
      }
    }
  }
  return count;
}

class Solver {
 public:
  Solver(KnightMoves* km, Point me, int moves) : km_(km), me_(me), moves_(moves) {}

  void start() {
    thread_ = std::thread(&Solver::run, this);
  }
  void join() { thread_.join(); }

 private:
  int check_and_set_solution() {
    // Has another thread a better solution?
    if (km_->get_solution(me_) <= moves_) return -1;
    km_->set_solution(me_, moves_);  // EXPECT: RwW
    return 0;
  }

  void run() {
    if (check_and_set_solution() < 0) return;
    if (me_.x == km_->prey().x && me_.y == km_->prey().y) return;
    Point next[8];
    const int count = next_squares(me_, next);
    Solver* solvers[8];
    for (int i = 0; i < count; i++) {
      solvers[i] = new Solver(km_, next[i], moves_ + 1);
      solvers[i]->start();
    }
    for (int i = 0; i < count; i++) {
      solvers[i]->join();
      delete solvers[i];
    }
  }

  KnightMoves* km_;
  Point me_;
  int moves_;
  std::thread thread_;
};

class SolverCorrect {
 public:
  SolverCorrect(KnightMoves* km, Point me, int moves) : km_(km), me_(me), moves_(moves) {}

  void go() {
    if (km_->get_solution(me_) <= moves_) return;
    km_->set_solution(me_, moves_);
    if (me_.x == km_->prey().x && me_.y == km_->prey().y) return;
    Point next[8];
    const int count = next_squares(me_, next);
    for (int i = 0; i < count; i++) SolverCorrect(km_, next[i], moves_ + 1).go();
  }

 private:
  KnightMoves* km_;
  Point me_;
  int moves_;
};

void KnightMoves::solve() {
  reset_solution();
  Solver solver(this, knight_, 0);
  solver.start();
  solver.join();
}

void KnightMoves::solve_correct() {
  reset_solution();
  SolverCorrect(this, knight_, 0).go();
}

int main() {
  const Point knight{std::rand() % KnightMoves::kWidth, std::rand() % KnightMoves::kWidth};
  const Point prey{std::rand() % KnightMoves::kWidth, std::rand() % KnightMoves::kWidth};
  KnightMoves km(knight, prey);
  km.solve();
  std::printf("Moves: %d\n", km.get_moves());
  km.solve_correct();
  std::printf("Correct moves: %d\n", km.get_moves());
}
