// The equivalents of a trace against all orders of its events, each of which is
// judged by the definition.
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/checker.h"
#include "formats/trace_io.h"
#include "programs/equivalents.h"
#include "property/random_trace.h"
#include "property/reference_order.h"
#include "property/reference_reorderings.h"

namespace foretrace::testing {
namespace {

using programs::Equivalence;
using programs::Equivalents;
using Order = std::vector<uint32_t>;

std::optional<Trace> reordered(const Trace& trace, const Order& order) {
  return trace_in_order(trace, {order.begin(), order.end()});
}

// All orders of the events that keep program order.
class AllOrders {
 public:
  explicit AllOrders(const Trace& trace) : threads_(trace.symbols->names(Space::thread).size()) {
    for (uint32_t i = 0; i < trace.events.size(); ++i) {
      if (trace.events[i].op() == Op::skip) continue;
      threads_[trace.events[i].thread].push_back(i);
      ++events_;
    }
  }

  std::set<Order> run() {
    go_on();
    return std::move(all_);
  }

 private:
  void go_on() {
    if (order_.size() == events_) all_.insert(order_);
    for (Order& thread : threads_) {
      if (thread.empty()) continue;
      const uint32_t event = thread.front();
      thread.erase(thread.begin());
      order_.push_back(event);
      go_on();
      order_.pop_back();
      thread.insert(thread.begin(), event);
    }
  }

  std::vector<Order> threads_;
  size_t events_ = 0;
  Order order_;
  std::set<Order> all_;
};

// The happens-before relation as pairs of the original indexes.
std::set<std::pair<uint32_t, uint32_t>> relation_of(const Trace& trace, const Order& order) {
  const Relation before = reference_happens_before(trace);
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t a = 0; a < before.size(); ++a) {
    for (uint32_t b = 0; b < before.size(); ++b) {
      if (before[a][b]) pairs.emplace(order[a], order[b]);
    }
  }
  return pairs;
}

std::set<Order> enumerate(const Trace& trace, Equivalence equivalence) {
  Equivalents equivalents(trace, equivalence);
  std::set<Order> orders;
  while (equivalents.next()) {
    // Each comes once.
    EXPECT_TRUE(orders.insert(equivalents.order()).second);
  }
  return orders;
}

// The beginning of a random trace: all orders of a longer one would be too many.
rc::Gen<RandomTrace> short_trace(bool values = false) {
  RandomTraceOptions options;
  options.threads = 3;
  options.locations = options.locks = 2;
  options.length = 0.5;
  options.values = values;
  return rc::gen::map(random_trace(options), [](const RandomTrace& random) {
    constexpr size_t kMostLines = 9;
    size_t end = 0;
    for (size_t lines = 0; lines < kMostLines && end != std::string::npos; ++lines) {
      end = random.tiddle.find('\n', end);
      if (end != std::string::npos) ++end;
    }
    const std::string text = random.tiddle.substr(0, end);
    return text.empty() ? random : RandomTrace{text, *read_trace(text, "tiddle")};
  });
}

std::string text_of(const Order& order) {
  std::string text;
  for (const uint32_t i : order) text += std::to_string(i) + " ";
  return text;
}

RC_GTEST_PROP(Equivalents, OfHappensBeforeHaveTheSameRelation, ()) {
  const RandomTrace random = *short_trace();
  Order original;
  for (uint32_t i = 0; i < random.trace.events.size(); ++i) {
    if (random.trace.events[i].op() != Op::skip) original.push_back(i);
  }
  const auto relation = relation_of(*reordered(random.trace, original), original);
  const std::set<Order> found = enumerate(random.trace, Equivalence::happens_before);
  size_t expected = 0;
  for (const Order& order : AllOrders(random.trace).run()) {
    const std::optional<Trace> trace = reordered(random.trace, order);
    const bool same = trace && relation_of(*trace, order) == relation;
    expected += same ? 1 : 0;
    if (same != found.contains(order)) {
      RC_FAIL((same ? "missing: " : "not equivalent: ") + text_of(order));
    }
  }
  RC_CLASSIFY(expected > 1, "more than one");
  RC_CLASSIFY(expected > 50, "more than 50");
  RC_ASSERT(*programs::count_equivalents(random.trace, Equivalence::happens_before) ==
            std::to_string(expected));
}

RC_GTEST_PROP(Equivalents, OfCorrectReorderingAreAllThatTheCheckerAccepts, ()) {
  const RandomTrace random = *short_trace();
  const ScheduleChecker checker(random.trace);
  const std::set<Order> found = enumerate(random.trace, Equivalence::correct_reordering);
  size_t expected = 0;
  for (const Order& order : AllOrders(random.trace).run()) {
    const bool correct =
        checker.check(std::vector<uint64_t>(order.begin(), order.end())).has_value();
    expected += correct ? 1 : 0;
    if (correct != found.contains(order)) {
      RC_FAIL((correct ? "missing: " : "not correct: ") + text_of(order));
    }
  }
  RC_CLASSIFY(expected > 1, "more than one");
  RC_CLASSIFY(expected > 50, "more than 50");
  RC_ASSERT(*programs::count_equivalents(random.trace, Equivalence::correct_reordering) ==
            std::to_string(expected));
}

// What is printed is a trace, and its values are right.
RC_GTEST_PROP(Equivalents, AreTraces, ()) {
  const RandomTrace random = *short_trace(true);
  for (const Equivalence equivalence :
       {Equivalence::happens_before, Equivalence::correct_reordering}) {
    Equivalents equivalents(random.trace, equivalence);
    for (int i = 0; i < 20 && equivalents.next(); ++i) {
      const Trace trace = equivalents.trace();
      if (i == 0) RC_ASSERT(event_texts(trace) == event_texts(random.trace));
      const std::string text = write_trace(trace.batch(), *trace.symbols, "tiddle").bytes;
      if (text.empty()) continue;
      const Result<Trace> read = read_trace(text, "tiddle", {.unnested = true});
      if (!read) RC_FAIL(read.error().message + "\n" + text);
    }
  }
}

TEST(Equivalents, ThePaperHasTwoForTwoLines) {
  const Trace trace = *read_trace("rd 1 x\nwr 2 x 1\n");
  EXPECT_EQ(*programs::count_equivalents(trace, Equivalence::happens_before), "2");
  EXPECT_EQ(*programs::count_equivalents(trace, Equivalence::correct_reordering), "1");
}

// Two threads with 40 events each have 80 over 40 orders, which no machine word holds.
TEST(Equivalents, AreCountedExactly) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "wr 1 x\nwr 2 y\n";
  const Trace trace = *read_trace(text, "tiddle");
  EXPECT_EQ(*programs::count_equivalents(trace, Equivalence::happens_before),
            "107507208733336176461620");
}

TEST(Equivalents, OfALongTraceComeOneByOne) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += i % 2 == 0 ? "wr 1 x\n" : "wr 2 y\n";
  const Trace trace = *read_trace(text, "tiddle");
  Equivalents equivalents(trace, Equivalence::happens_before);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(equivalents.next());
  EXPECT_EQ(equivalents.order().size(), 100'000U);
}

}  // namespace
}  // namespace foretrace::testing
