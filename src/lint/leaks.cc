#include "lint/leaks.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace foretrace::lint {
namespace {

// More pointers to pointers than this are not followed: the object leaves.
constexpr uint32_t kMostPointers = 3;

uint32_t derefs_of(const Path& path) {
  return static_cast<uint32_t>(
      std::count_if(path.steps.begin(), path.steps.end(),
                    [](const Step& step) { return step.kind == Step::Kind::deref; }));
}

// A variable of the function or a field of one. Containers are not: library functions can
// give what is in them to others, as swap does.
bool is_variable(const Path& path) {
  return (path.root == Path::Root::local || path.root == Path::Root::parameter) &&
         std::all_of(path.steps.begin(), path.steps.end(),
                     [](const Step& step) { return step.kind == Step::Kind::field; });
}

}  // namespace

// One object in one function: by which variables it can be reached, and what is done with
// its address. Order is not looked at.
class Leaks::Follower {
 public:
  Follower(Leaks& leaks, const Question& question)
      : leaks_(leaks), question_(question), function_(*question.first) {
    holds_itself_ = question.second.holds_itself;
    ways_.insert(question.second);
  }

  Fate run() {
    for (size_t before = 0; before != ways_.size() && !fate_.leaves;) {
      before = ways_.size();
      for (const Binding& binding : function_.bindings) put(binding);
      for (const Block& block : function_.blocks) {
        for (const Op& op : block.ops) look_at(op);
      }
      for (const Value& value : function_.returns) {
        if (const auto pointers = pointers_of(value)) {
          fate_.returned = true;
          fate_.leaves = fate_.leaves || *pointers > 1;
        }
      }
    }
    return fate_;
  }

  // Where it leaves; none if that is not known.
  std::optional<std::set<uint32_t>> ops() {
    std::set<uint32_t> found;
    for (size_t before = 0; before != ways_.size();) {
      before = ways_.size();
      for (const Binding& binding : function_.bindings) {
        fate_.leaves = false;
        put(binding);
        if (fate_.leaves && !add_stores(binding.target, found)) return std::nullopt;
      }
      for (const Block& block : function_.blocks) {
        for (const Op& op : block.ops) {
          fate_.leaves = false;
          look_at(op);
          if (fate_.leaves) found.insert(op.id);
        }
      }
    }
    return found;
  }

 private:
  // The ops that put something there: a write, or a method of the container.
  bool add_stores(const Path& target, std::set<uint32_t>& found) const {
    bool any = false;
    Path container = target;
    if (!container.steps.empty() && container.steps.back().kind == Step::Kind::element) {
      container.steps.pop_back();
    }
    for (const Block& block : function_.blocks) {
      for (const Op& op : block.ops) {
        const Access* const access = op.as<Access>();
        const Call* const call = op.as<Call>();
        const bool writes = access != nullptr && access->write && access->path == target;
        const bool stores = call != nullptr && call->is_method && is_of(call->receiver, container);
        if (!writes && !stores) continue;
        found.insert(op.id);
        any = true;
      }
    }
    return any;
  }

  static bool is_of(const Value& receiver, const Path& object) {
    if (receiver.kind == Value::Kind::address_of) return receiver.path == object;
    if (receiver.kind != Value::Kind::value_of || object.steps.empty() ||
        object.steps.back().kind != Step::Kind::deref) {
      return false;
    }
    Path pointer = object;
    pointer.steps.pop_back();
    return receiver.path == pointer;
  }

  // How many pointers lead from a variable that has the value to the object, if any do.
  std::optional<uint32_t> pointers_of(const Value& value) {
    std::optional<uint32_t> most;
    for (size_t i = 0; i < value.captures.size(); ++i) {
      const auto captured = pointers_of(value.captures[i]);
      if (!captured) continue;
      most = 1;  // who has the closure has the object
      const auto bodies = leaks_.bodies_.find(value.function);
      if (bodies == leaks_.bodies_.end()) continue;
      for (const Function* const body : bodies->second) {
        ask(*body, {Path::Root::capture, static_cast<uint32_t>(i), *captured});
      }
    }
    const bool is_address = value.kind == Value::Kind::address_of;
    if (!is_address && value.kind != Value::Kind::value_of) return most;
    const uint32_t derefs = derefs_of(value.path);
    for (const Way& way : ways_) {
      if (way.root != value.path.root || way.index != value.path.index) continue;
      // What is in the object is no pointer to it, unless such were put there.
      const bool is_content = !is_address && derefs == way.pointers;
      if (derefs > way.pointers || (is_content && !way.holds_itself)) continue;
      const uint32_t left = is_content ? 1 : way.pointers - derefs + (is_address ? 1 : 0);
      most = std::max(most.value_or(0), left);
    }
    return most;
  }

  void add(Path::Root root, uint32_t index, uint32_t pointers) {
    if (pointers > kMostPointers) fate_.leaves = true;
    ways_.insert({root, index, pointers, holds_itself_});
  }

  // From now on its content counts as its address.
  void hold_itself() {
    fate_.holds_itself = true;
    if (std::exchange(holds_itself_, true)) return;
    const std::set<Way> before = ways_;
    for (Way way : before) {
      way.holds_itself = true;
      ways_.insert(way);
    }
  }

  Fate ask(const Function& function, Way way) {
    way.holds_itself = holds_itself_;
    const Fate there = leaks_.fate({&function, way}, question_);
    if (there.leaves) fate_.leaves = true;
    if (there.holds_itself) hold_itself();
    return there;
  }

  // Whether it is a part of the object.
  bool is_inside(const Path& path) const {
    return std::any_of(ways_.begin(), ways_.end(), [&](const Way& way) {
      return way.root == path.root && way.index == path.index && !path.steps.empty() &&
             derefs_of(path) == way.pointers;
    });
  }

  void put(const Binding& binding) {
    const auto pointers = pointers_of(binding.value);
    if (!pointers) return;
    const Path& target = binding.target;
    if (is_variable(target)) {
      add(target.root, target.index, *pointers);
    } else if (is_inside(target)) {
      hold_itself();
    } else {
      fate_.leaves = true;
    }
  }

  void look_at(const Op& op) {
    if (const Spawn* const spawn = op.as<Spawn>()) {
      const auto given = [&](const Value& value) { return pointers_of(value).has_value(); };
      fate_.leaves = fate_.leaves || given(spawn->entry) || given(spawn->receiver) ||
                     std::any_of(spawn->arguments.begin(), spawn->arguments.end(), given);
    } else if (const Call* const call = op.as<Call>()) {
      const std::set<const Function*>& targets = leaks_.targets(function_, op);
      if (call->callee.empty()) pointers_of(call->through);  // for what the closure does
      give(call->receiver, Path::Root::self, 0, op, *call, targets);
      for (uint32_t i = 0; i < call->arguments.size(); ++i) {
        give(call->arguments[i], Path::Root::parameter, i, op, *call, targets);
      }
    }
  }

  void give(const Value& value, Path::Root root, uint32_t index, const Op& op, const Call& call,
            const std::set<const Function*>& targets) {
    const auto pointers = pointers_of(value);
    if (!pointers) return;
    if (targets.empty() && call.callee.empty()) fate_.leaves = true;
    for (const Function* const target : targets) {
      if (ask(*target, {root, index, *pointers}).returned) add(Path::Root::result, op.id, 1);
    }
  }

  Leaks& leaks_;
  const Question& question_;
  const Function& function_;
  std::set<Way> ways_;
  bool holds_itself_ = false;
  Fate fate_;
};

Leaks::Leaks(const Functions& functions, Targets targets) : targets_(std::move(targets)) {
  for (const auto& [usr, function] : functions) {
    bodies_[closure_of(*function)].push_back(function);
  }
}

const std::set<const Function*>& Leaks::targets(const Function& function, const Op& call) const {
  static const std::set<const Function*> kNone;
  const auto known = targets_.find({&function, call.id});
  return known != targets_.end() ? known->second : kNone;
}

Leaks::Fate Leaks::fate(const Question& question, const Question& asked_by) {
  const auto [known, is_new] = fates_.try_emplace(question);
  if (is_new) work_.push_back(question);
  if (!known->second.leaves) asked_by_[question].insert(asked_by);
  return known->second;
}

// Fates only get worse.
void Leaks::solve() {
  while (!work_.empty()) {
    const Question question = work_.back();
    work_.pop_back();
    const Fate found = Follower(*this, question).run();
    Fate& known = fates_[question];
    if (found == known) continue;
    known = found;
    const std::set<Question>& others = asked_by_[question];
    work_.insert(work_.end(), others.begin(), others.end());
  }
}

const Leaks::Fate& Leaks::answer(const Question& question) {
  if (fates_.try_emplace(question).second) {
    work_.push_back(question);
    solve();
  }
  return fates_[question];
}

bool Leaks::leaves(const Function& function, Path::Root root, uint32_t index) {
  const Fate& fate = answer({&function, {root, index, 0, false}});
  return fate.leaves || fate.returned;
}

bool Leaks::lets_leave(const Function& function, Path::Root root, uint32_t index) {
  return answer({&function, {root, index, 1, false}}).leaves;
}

std::optional<std::set<uint32_t>> Leaks::leaves_at(const Function& function, uint32_t allocation) {
  const Question question{&function, {Path::Root::heap, allocation, 0, false}};
  answer(question);
  std::optional<std::set<uint32_t>> found = Follower(*this, question).ops();
  solve();  // what was asked once more
  return found;
}

}  // namespace foretrace::lint
