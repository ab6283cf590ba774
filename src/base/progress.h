// A progress bar on standard error: only when that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace foretrace {

class Progress {
 public:
  // `activity` stands in front of the bar: "analyzing a.ftr"; `unit` is what is
  // counted.
  explicit Progress(std::string activity, std::string unit = "events");
  ~Progress();  // removes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `share` is between 0 and 1, or nothing if the end is not known; `count` is
  // the number of units so far. Cheap: draws at most ten times a second.
  void update(std::optional<double> share, uint64_t count);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::optional<double> share, uint64_t count, Clock::time_point now);

  const std::string activity_;
  const std::string unit_;
  const bool visible_;
  const Clock::time_point start_;
  Clock::time_point next_;
  bool drawn_ = false;
};

}  // namespace foretrace
