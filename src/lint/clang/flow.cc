#include "lint/clang/flow.h"

#include <algorithm>

#include "base/sort_once.h"
#include "lint/clang/library.h"

namespace foretrace::lint {

using namespace clang;

namespace {

void add(Tokens& all, const Tokens& more) {
  all.insert(all.end(), more.begin(), more.end());
  sort_once(all);
}

}  // namespace

const VarDecl* base_variable(const Expr* expression) {
  while (true) {
    expression = bare(expression);
    if (const auto* member = dyn_cast<MemberExpr>(expression); member && !member->isArrow()) {
      expression = member->getBase();
    } else if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(expression)) {
      expression = subscript->getBase();
      if (!bare(expression)->getType()->isArrayType()) return nullptr;
    } else {
      const auto* reference = dyn_cast<DeclRefExpr>(expression);
      const auto* variable =
          reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
      return variable != nullptr && !variable->hasGlobalStorage() ? variable : nullptr;
    }
  }
}

void Flow::assign(uint32_t block, const VarDecl* variable, const Expr* from, bool adds) {
  actions_.resize(std::max<size_t>(actions_.size(), block + 1));
  Action action;
  action.variable = variable;
  action.from = from;
  action.adds = adds;
  actions_[block].push_back(action);
}

void Flow::assign_result(uint32_t block, const VarDecl* variable, uint32_t op) {
  actions_.resize(std::max<size_t>(actions_.size(), block + 1));
  Action action;
  action.variable = variable;
  action.op = op;
  action.adds = true;
  actions_[block].push_back(action);
}

void Flow::use(uint32_t block, uint32_t op, Sink sink, size_t argument, const Expr* from) {
  actions_.resize(std::max<size_t>(actions_.size(), block + 1));
  Action action;
  action.from = from;
  action.op = op;
  action.sink = sink;
  action.argument = argument;
  actions_[block].push_back(action);
}

void Flow::variable_tokens(const VarDecl* variable, const State& state, Tokens& found) const {
  const auto known = state.find(variable);
  if (known != state.end()) {
    found.insert(found.end(), known->second.begin(), known->second.end());
    return;
  }
  for (size_t i = 0; i < scope_.captures().size(); ++i) {
    if (scope_.captures()[i].variable == variable) {
      found.push_back({Token::Kind::capture, static_cast<uint32_t>(i)});
      return;
    }
  }
  if (const auto* parameter = dyn_cast<ParmVarDecl>(variable)) {
    found.push_back({Token::Kind::parameter, parameter->getFunctionScopeIndex()});
  } else if (variable->getType()->isReferenceType() && variable->getInit() != nullptr) {
    tokens(variable->getInit(), state, found);
  }
}

void Flow::tokens(const Stmt* expression, const State& state, Tokens& found) const {
  if (expression == nullptr || isa<LambdaExpr>(expression)) return;
  if (const auto read = reads_.find(expression); read != reads_.end()) {
    found.push_back({Token::Kind::op, read->second});
  }
  if (const auto* call = dyn_cast<Expr>(expression)) {
    if (const auto op = scope_.call(call)) found.push_back({Token::Kind::op, *op});
  }
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
    const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable != nullptr && !variable->hasGlobalStorage()) {
      variable_tokens(variable, state, found);
    }
  }
  for (const Stmt* child : expression->children()) tokens(child, state, found);
}

Tokens Flow::tokens(const Expr* expression, const State& state) const {
  Tokens found;
  tokens(expression, state, found);
  sort_once(found);
  return found;
}

void Flow::apply(const Action& action, State& state) const {
  if (action.variable == nullptr) return;
  Tokens fresh =
      action.from != nullptr ? tokens(action.from, state) : Tokens{{Token::Kind::op, action.op}};
  if (action.adds) {
    variable_tokens(action.variable, state, fresh);
    add(fresh, {});
  }
  state[action.variable] = std::move(fresh);
}

void Flow::run(Function& function) {
  const size_t count = function.blocks.size();
  actions_.resize(count);
  std::vector<State> entry(count);
  std::vector<bool> reached(count);
  std::vector<uint32_t> work{0};
  reached[0] = true;
  while (!work.empty()) {
    const uint32_t block = work.back();
    work.pop_back();
    State state = entry[block];
    for (const Action& action : actions_[block]) apply(action, state);
    for (const uint32_t next : function.blocks[block].next) {
      bool changed = !reached[next];
      reached[next] = true;
      for (const auto& [variable, values] : state) {
        auto [known, fresh] = entry[next].try_emplace(variable);
        const size_t before = known->second.size();
        add(known->second, values);
        changed = changed || fresh || known->second.size() != before;
      }
      if (changed) work.push_back(next);
    }
  }
  for (uint32_t block = 0; block < count; ++block) {
    State state = entry[block];
    std::map<uint32_t, Op*> ops;
    for (Op& op : function.blocks[block].ops) ops[op.id] = &op;
    for (const Action& action : actions_[block]) {
      if (action.variable != nullptr) {
        apply(action, state);
        continue;
      }
      Tokens found = tokens(action.from, state);
      if (action.sink == Sink::condition) {
        add(function.blocks[block].condition, found);
        continue;
      }
      const auto op = ops.find(action.op);
      if (op == ops.end()) continue;
      Call* call = op->second->as<Call>();
      Spawn* spawn = op->second->as<Spawn>();
      Return* returned = op->second->as<Return>();
      switch (action.sink) {
        case Sink::receiver:
          if (call != nullptr) call->receiver.tokens = std::move(found);
          break;
        case Sink::through:
          if (call != nullptr) call->through.tokens = std::move(found);
          break;
        case Sink::capture:
          if (call != nullptr) call->through.captures[action.argument].tokens = std::move(found);
          break;
        case Sink::argument:
          if (call != nullptr) call->arguments[action.argument].tokens = std::move(found);
          if (spawn != nullptr) spawn->arguments[action.argument].tokens = std::move(found);
          break;
        case Sink::returned:
          if (returned != nullptr) returned->value.tokens = std::move(found);
          break;
        default:
          add(op->second->uses, found);
      }
    }
  }
}

}  // namespace foretrace::lint
