#include "base/progress.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

namespace foretrace {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

bool is_drawable_terminal() {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

size_t terminal_width() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

}  // namespace

Progress::Progress(std::string activity, std::string unit)
    : activity_(std::move(activity)),
      unit_(std::move(unit)),
      visible_(is_drawable_terminal()),
      start_(Clock::now()),
      next_(start_ + kInterval) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::optional<double> share, uint64_t count) {
  if (!visible_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  draw(share, count, now);
}

void Progress::draw(std::optional<double> share, uint64_t count, Clock::time_point now) {
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(count) / seconds;
  std::string tail = fmt::format(" {} {}, ", with_commas(count), unit_);
  tail += rate >= 1e5 ? fmt::format("{:.1f}M/s", rate / 1e6) : fmt::format("{:.0f}/s", rate);
  std::string bar;
  if (share) {
    constexpr size_t kBarWidth = 24;
    const auto full = static_cast<size_t>(std::lround(*share * kBarWidth));
    for (size_t i = 0; i < kBarWidth; ++i) bar += i < full ? "█" : "░";
    bar = fmt::format(" {} {:3.0f}%", bar, *share * 100);
    if (*share > 0.02) tail += fmt::format(", {:.0f}s left", seconds / *share - seconds);
  }
  const size_t room = terminal_width() - 1;
  std::string line = activity_ + bar + tail;
  if (display_width(line) > room) line = printable(activity_ + tail, room - 1);
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
}

}  // namespace foretrace
