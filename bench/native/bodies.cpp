// Bodies that attract each other, by a tree of the space: main builds the tree, the
// threads go down in it for each of their bodies. Pointers instead of arrays.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

struct Body {
  double x, y, mass, vx, vy;
};

struct Cell {
  double x = 0, y = 0, mass = 0;  // the centre of what is in it
  double left, top, size;
  const Body* only = nullptr;
  std::unique_ptr<Cell> parts[4];

  Cell(double at_x, double at_y, double extent) : left(at_x), top(at_y), size(extent) {}

  void add(const Body& body) {
    const double sum = mass + body.mass;
    if (mass > 0 && size > 1e-9) {
      if (only != nullptr) put(*only);
      only = nullptr;
      put(body);
    } else {
      only = &body;
    }
    x = (x * mass + body.x * body.mass) / sum;
    y = (y * mass + body.y * body.mass) / sum;
    mass = sum;
  }

  void put(const Body& body) {
    const double half = size / 2;
    const int right = body.x >= left + half ? 1 : 0;
    const int below = body.y >= top + half ? 1 : 0;
    std::unique_ptr<Cell>& part = parts[2 * below + right];
    if (part == nullptr) part = std::make_unique<Cell>(left + right * half, top + below * half, half);
    part->add(body);
  }

  void pull(const Body& body, double& fx, double& fy) const {
    const double dx = x - body.x;
    const double dy = y - body.y;
    const double distance = dx * dx + dy * dy + 1e-4;
    if (only != nullptr || size * size < 0.25 * distance) {
      const double force = mass / (distance * std::sqrt(distance));
      fx += dx * force;
      fy += dy * force;
      return;
    }
    for (const std::unique_ptr<Cell>& part : parts) {
      if (part != nullptr) part->pull(body, fx, fy);
    }
  }
};

int main(int count, char** words) {
  const size_t threads = count > 1 ? static_cast<size_t>(std::atoi(words[1])) : 2;
  const size_t size = count > 2 ? static_cast<size_t>(std::atoi(words[2])) : 6000;
  std::vector<Body> bodies(size);
  unsigned seed = 1;
  const auto random = [&] { return (seed = seed * 1664525 + 1013904223) / 4294967296.0; };
  for (Body& body : bodies) body = {random(), random(), 1 + random(), 0, 0};
  std::unique_ptr<Cell> space;
  std::barrier phase(static_cast<std::ptrdiff_t>(threads));
  const auto work = [&](size_t me) {
    for (int round = 0; round < 4; ++round) {
      if (me == 0) {
        space = std::make_unique<Cell>(-1, -1, 3);
        for (const Body& body : bodies) space->add(body);
      }
      phase.arrive_and_wait();
      for (size_t i = me; i < size; i += threads) {
        double fx = 0, fy = 0;
        space->pull(bodies[i], fx, fy);
        bodies[i].vx += 1e-7 * fx;
        bodies[i].vy += 1e-7 * fy;
      }
      phase.arrive_and_wait();
      for (size_t i = me; i < size; i += threads) {
        bodies[i].x += bodies[i].vx;
        bodies[i].y += bodies[i].vy;
      }
      phase.arrive_and_wait();
    }
  };
  std::vector<std::thread> pool;
  for (size_t i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  std::printf("%.6f\n", bodies[size / 2].x);
}
