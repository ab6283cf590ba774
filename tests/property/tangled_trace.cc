#include "property/tangled_trace.h"

#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "trace/format.h"

namespace foretrace::testing {
namespace {

// The same for all moves of a trace.
struct Shape {
  uint32_t threads;
  uint32_t locks;
  uint32_t locations;
  uint32_t accesses;   // of ten moves
  uint32_t readers;    // of ten acquires
  uint32_t unguarded;  // of ten accesses; the others need a lock that is held
};

// Turns numbers into events; a move that is impossible is left out.
class Tangle {
 public:
  explicit Tangle(const Shape& shape)
      : shape_(shape), held_(shape.threads), users_(shape.locks), writer_(shape.locks) {}

  std::string run(const std::vector<uint32_t>& moves) {
    for (const uint32_t move : moves) {
      choice_ = move;
      step(take(shape_.threads));
    }
    return text_;
  }

 private:
  struct Held {
    uint32_t lock;
    bool shared;
  };

  uint32_t take(uint32_t count) {
    const uint32_t taken = choice_ % count;
    choice_ /= count;
    return taken;
  }

  void step(uint32_t thread) {
    if (take(10) < shape_.accesses) return access(thread);
    if (take(2) == 0) return acquire(thread);
    if (!held_[thread].empty()) release(thread);
  }

  void access(uint32_t thread) {
    const bool guarded = take(10) >= shape_.unguarded;
    if (guarded && held_[thread].empty()) return;
    const char* const op = take(3) == 0 ? "wr" : "rd";
    // Each lock guards locations of its own.
    const std::string owner = guarded ? fmt::format("l{}", held_[thread].back().lock) : "free";
    text_ += fmt::format("{} {} {}.{}\n", op, thread, owner, take(shape_.locations));
  }

  void acquire(uint32_t thread) {
    const uint32_t lock = take(shape_.locks);
    const bool shared = take(10) < shape_.readers;
    if (writer_[lock] || (!shared && users_[lock] > 0)) return;
    for (const Held& held : held_[thread]) {
      if (held.lock == lock) return;
    }
    ++users_[lock];
    writer_[lock] = !shared;
    held_[thread].push_back({lock, shared});
    text_ += fmt::format("{} {} l{}\n", shared ? "racq" : "acq", thread, lock);
  }

  void release(uint32_t thread) {
    const Held held = held_[thread].back();
    held_[thread].pop_back();
    --users_[held.lock];
    writer_[held.lock] = false;
    text_ += fmt::format("{} {} l{}\n", held.shared ? "rrel" : "rel", thread, held.lock);
  }

  const Shape shape_;
  std::vector<std::vector<Held>> held_;  // by thread
  std::vector<uint32_t> users_;          // by lock
  std::vector<bool> writer_;             // by lock: held for writing
  uint32_t choice_ = 0;                  // what is left of the move
  std::string text_ = "# a tangle\n";
};

rc::Gen<Shape> any_shape() {
  const auto between = [](uint32_t low, uint32_t high) {
    return rc::gen::noShrink(rc::gen::inRange<uint32_t>(low, high + 1));
  };
  return rc::gen::construct<Shape>(between(2, 5), between(2, 6), between(1, 8), between(2, 6),
                                   rc::gen::element<uint32_t>(0, 0, 3), between(0, 6));
}

}  // namespace

rc::Gen<RandomTrace> tangled_trace() {
  const auto moves = rc::gen::scale(
      6.0, rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, UINT32_MAX)));
  return rc::gen::apply(
      [](const Shape& shape, const std::vector<uint32_t>& list) {
        RandomTrace random;
        random.tiddle = Tangle(shape).run(list);
        Result<std::unique_ptr<ByteSource>> source = memory_input("tangle", random.tiddle);
        Result<Trace> trace = load_trace(open_trace(std::move(source.value()), "tiddle").value());
        if (!trace) throw std::logic_error(trace.error().message + "\n" + random.tiddle);
        random.trace = std::move(*trace);
        return random;
      },
      any_shape(), moves);
}

}  // namespace foretrace::testing
