#include "lint/awaited.h"

#include <algorithm>
#include <deque>
#include <initializer_list>

#include "lint/flow_graph.h"
#include "lint/loops.h"
#include "lint/taint.h"

namespace foretrace::lint {
namespace {

bool waits_itself(const Function& function) {
  for (const Block& block : function.blocks) {
    for (const Op& op : block.ops) {
      if (const Release* const release = op.as<Release>(); release != nullptr && release->by_wait) {
        return true;
      }
    }
  }
  return false;
}

bool one_of(Name name, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* one) { return name.text() == one; });
}

bool is_signal(const Call& call) {
  return one_of(call.name,
                {"std::promise::set_value", "std::promise::set_exception", "std::latch::count_down",
                 "std::latch::arrive_and_wait", "std::barrier::arrive",
                 "std::barrier::arrive_and_wait", "std::barrier::arrive_and_drop",
                 "std::counting_semaphore::release", "sem_post", "pthread_barrier_wait"});
}

bool is_wait_for_signal(const Call& call) {
  return one_of(call.name, {"std::latch::wait", "std::latch::arrive_and_wait", "std::barrier::wait",
                            "std::barrier::arrive_and_wait", "std::counting_semaphore::acquire",
                            "sem_wait", "pthread_barrier_wait"});
}

// A promise is what it has in common with its future.
std::vector<LocationId> signalled_by(const Program& program, ContextId context, const Call& call) {
  if (!call.is_method) {
    return call.arguments.empty() ? std::vector<LocationId>()
                                  : program.pointees(context, call.arguments[0]);
  }
  if (!call.name.text().starts_with("std::promise")) {
    return program.pointees(context, call.receiver);
  }
  Path state = referred(call.receiver);
  state.steps.push_back({Step::Kind::deref, {}});
  return program.locations(context, state);
}

}  // namespace

// The waits of one context.
class Awaited::Finder {
 public:
  Finder(Awaited& awaited, ContextId context)
      : awaited_(awaited),
        program_(awaited.program_),
        context_(context),
        function_(*program_.context(context).function),
        graph_(function_) {}

  void run() {
    find_loops();
    find_predicates();
    find_signals();
  }

 private:
  bool is_wait(const Op& op) const {
    if (const Release* const release = op.as<Release>()) return release->by_wait;
    if (op.as<Call>() == nullptr) return false;
    // A condition variable of the program's own, which has one of the library.
    const std::span<const ContextId> callees = program_.callees({context_, op.id});
    return std::any_of(callees.begin(), callees.end(), [&](ContextId callee) {
      return waits_itself(*program_.context(callee).function);
    });
  }

  // Reads that the values of a condition come from: of this function, or of one that it calls.
  std::vector<Look> looks(const Tokens& tokens) const {
    std::vector<Look> found;
    for (const Token& token : tokens) {
      if (token.kind == Token::Kind::op) add_look({context_, token.index}, found);
    }
    return found;
  }
  void add_look(const Place& place, std::vector<Look>& found) const {
    add_read(place, found);
    for (const ContextId callee : program_.callees(place)) {
      for (const uint32_t op : ops_of(program_, callee)) add_read({callee, op}, found);
    }
  }
  void add_read(const Place& place, std::vector<Look>& found) const {
    const Access* const access = program_.op(place).as<Access>();
    if (access == nullptr || access->write || access->on_the_way ||
        (program_.locks(place).empty() && !access->atomic)) {
      return;
    }
    found.push_back({place, access->path, program_.locations(place.context, access->path)});
  }

  void find_loops() {
    const Loops loops(graph_.next());
    std::set<uint32_t> heads;
    for (uint32_t block = 0; block < function_.blocks.size(); ++block) {
      heads.insert(loops.heads(block).begin(), loops.heads(block).end());
    }
    for (const uint32_t head : heads) add_loop(loops, head);
  }

  void add_loop(const Loops& loops, uint32_t head) {
    Wait wait;
    bool waits = false;
    std::vector<bool> inside(function_.blocks.size(), false);
    for (uint32_t number = 0; number < inside.size(); ++number) {
      inside[number] = loops.heads(number).contains(head);
      if (!inside[number]) continue;
      const Block& block = function_.blocks[number];
      for (const Op& op : block.ops) {
        if (!is_wait(op)) continue;
        waits = true;
        wait.position = op.position;
      }
      for (const uint32_t next : block.next) {
        if (loops.heads(next).contains(head)) continue;
        wait.exits.push_back(looks(block.condition));
        for (const Look& look : wait.exits.back()) {
          if (!program_.op(look.place).as<Access>()->atomic) continue;
          waits = true;
          wait.position = program_.op(look.place).position;
        }
      }
    }
    if (!waits || wait.exits.empty()) return;
    add(std::move(wait), {0, std::nullopt, graph_.only_through(inside)});
  }

  // wait(lock, predicate): the front end has the predicate called after the wait.
  void find_predicates() {
    for (uint32_t number = 0; number < function_.blocks.size(); ++number) {
      const Block& block = function_.blocks[number];
      for (size_t i = 1; i < block.ops.size(); ++i) {
        const Acquire* const acquire = block.ops[i - 1].as<Acquire>();
        const Call* const call = block.ops[i].as<Call>();
        if (acquire == nullptr || !acquire->by_wait || call == nullptr ||
            call->through.kind != Value::Kind::function) {
          continue;
        }
        Wait wait;
        wait.position = block.ops[i - 1].position;
        add_look({context_, block.ops[i].id}, wait.exits.emplace_back());
        std::vector<bool> here(function_.blocks.size(), false);
        here[number] = true;
        std::vector<bool> after = graph_.only_through(here);
        add(std::move(wait), {0, block.ops[i].id, std::move(after)});
      }
    }
  }

  void find_signals() {
    for (uint32_t number = 0; number < function_.blocks.size(); ++number) {
      for (const Op& op : function_.blocks[number].ops) {
        const Call* const call = op.as<Call>();
        const Join* const join = op.as<Join>();
        Wait wait;
        if (call != nullptr && is_wait_for_signal(*call)) {
          wait.signalled = signalled_by(program_, context_, *call);
        } else if (join != nullptr && join->handle.known()) {
          Path state = join->handle;
          state.steps.push_back({Step::Kind::deref, {}});
          wait.signalled = program_.locations(context_, state);
        }
        if (wait.signalled.empty()) continue;
        wait.position = op.position;
        std::vector<bool> here(function_.blocks.size(), false);
        here[number] = true;
        add(std::move(wait), {0, op.id, graph_.only_through(here)});
      }
    }
  }

  void add(Wait wait, Over over) {
    over.wait = static_cast<uint32_t>(awaited_.waits_.size());
    awaited_.over_[context_].push_back(std::move(over));
    awaited_.waits_.push_back(std::move(wait));
  }

  Awaited& awaited_;
  const Program& program_;
  const ContextId context_;
  const Function& function_;
  const FlowGraph graph_;
};

Awaited::Awaited(const Program& program) : program_(program) {
  const std::vector<ContextId> contexts = contexts_of_threads(program);
  for (const ContextId context : contexts) Finder(*this, context).run();
  std::set<LocationId> looked_at;
  for (const Wait& wait : waits_) {
    for (const std::vector<Look>& looks : wait.exits) {
      for (const Look& look : looks) looked_at.insert(look.locations.begin(), look.locations.end());
    }
  }
  if (waits_.empty()) return;
  find_before_contexts();
  for (const ContextId context : contexts) {
    for (const Block& block : program.context(context).function->blocks) {
      for (const Op& op : block.ops) {
        const Access* const access = op.as<Access>();
        const Place place{context, op.id};
        if (const Call* const call = op.as<Call>(); call != nullptr && is_signal(*call)) {
          for (const LocationId state : signalled_by(program, context, *call)) {
            signals_[state].push_back(place);
          }
        }
        if (access == nullptr || !access->write || looked_at.empty()) continue;
        for (const LocationId location : program.locations(context, access->path)) {
          if (!looked_at.contains(location) || (program.locks(place).empty() && !access->atomic)) {
            continue;
          }
          writes_[location].push_back({place, access->path});
        }
      }
    }
  }
}

// The waits that are over whenever the op is done.
Awaited::Waits Awaited::before(const Place& place) const {
  const auto known = before_context_.find(place.context);
  Waits waits = known != before_context_.end() ? known->second : Waits();
  const auto here = over_.find(place.context);
  if (here == over_.end()) return waits;
  const FlowGraph& graph = graph_of(place.context);
  for (const Over& over : here->second) {
    if (over.blocks[graph.block_of(place.op)] ||
        (over.after && graph.in_order(*over.after, place.op))) {
      waits.insert(over.wait);
    }
  }
  return waits;
}

const FlowGraph& Awaited::graph_of(ContextId context) const {
  const Function& function = *program_.context(context).function;
  return graphs_.try_emplace(&function, function).first->second;
}

// Those that are over at every call, from the threads' entries on: the sets only shrink.
void Awaited::find_before_contexts() {
  std::deque<ContextId> work;
  for (const Thread& thread : program_.threads()) {
    if (before_context_.try_emplace(thread.root).second) work.push_back(thread.root);
  }
  while (!work.empty()) {
    const ContextId caller = work.front();
    work.pop_front();
    for (const uint32_t op : ops_of(program_, caller)) {
      const std::span<const ContextId> callees = program_.callees({caller, op});
      if (callees.empty()) continue;
      const Waits waits = before({caller, op});
      for (const ContextId callee : callees) {
        const auto [known, is_new] = before_context_.try_emplace(callee, waits);
        const auto is_open = [&](uint32_t wait) { return !waits.contains(wait); };
        if (is_new || std::erase_if(known->second, is_open) > 0) work.push_back(callee);
      }
    }
  }
}

// The call that leads to the write, if the function that has it always comes to it.
std::optional<Place> Awaited::lifted(const Place& write) const {
  const std::vector<Place>& calls = program_.callers(write.context);
  if (calls.size() != 1 || !graph_of(write.context).always_done(write.op)) return std::nullopt;
  return calls.front();
}

// Whether the op, by all calls that lead to it, comes before the write, and never after it.
bool Awaited::comes_first(const Place& earlier, const Place& write,
                          std::set<ContextId>& open) const {
  if (earlier.context == write.context) {
    return graph_of(write.context).always_before(earlier.op, write.op);
  }
  if (!open.insert(earlier.context).second) return true;
  const std::vector<Place>& calls = program_.callers(earlier.context);
  return !calls.empty() && std::all_of(calls.begin(), calls.end(), [&](const Place& call) {
    return comes_first(call, write, open);
  });
}

bool Awaited::wakes(const Place& earlier, const Look& look, const Write& write) const {
  const auto is_atomic = [&](const Place& place) {
    return program_.op(place).as<Access>()->atomic;
  };
  const bool both = is_atomic(look.place) && is_atomic(write.place);
  return (both || program_.exclude(look.place, look.path, write.place, write.path)) &&
         comes_first(earlier, write.place);
}

// Of the same thread; the write may be in a function that it calls.
bool Awaited::comes_first(const Place& earlier, const Place& write) const {
  if (program_.context(write.context).thread != program_.context(earlier.context).thread) {
    return false;
  }
  constexpr int kMaxCalls = 3;  // of functions that do nothing but count and notify
  std::optional<Place> at = write;
  for (int i = 0; at && i <= kMaxCalls; ++i) {
    std::set<ContextId> open;
    if (!program_.context(at->context).repeated && comes_first(earlier, *at, open)) return true;
    at = lifted(*at);
  }
  return false;
}

std::optional<Awaited::Order> Awaited::order(const Place& earlier, const Place& later) const {
  if (waits_.empty()) return std::nullopt;
  for (const uint32_t number : before(later)) {
    const Wait& wait = waits_[number];
    for (const LocationId state : wait.signalled) {
      const auto signals = signals_.find(state);
      if (signals == signals_.end()) continue;
      for (const Place& signal : signals->second) {
        if (!comes_first(earlier, signal)) continue;
        return Order{wait.position, program_.op(signal).position, state, true};
      }
    }
    if (!wait.signalled.empty()) continue;
    std::optional<Order> order;
    const auto is_woken = [&](const Look& look) {
      for (const LocationId location : look.locations) {
        const auto writes = writes_.find(location);
        if (writes == writes_.end()) continue;
        for (const Write& write : writes->second) {
          if (!wakes(earlier, look, write)) continue;
          order = Order{wait.position, program_.op(write.place).position, location};
          return true;
        }
      }
      return false;
    };
    const bool all =
        std::all_of(wait.exits.begin(), wait.exits.end(), [&](const std::vector<Look>& looks) {
          return std::any_of(looks.begin(), looks.end(), is_woken);
        });
    if (all) return order;
  }
  return std::nullopt;
}

}  // namespace foretrace::lint
