#include "lint/dump.h"

#include <filesystem>

#include <fmt/format.h>

namespace foretrace::lint {
namespace {

std::string last_part(const std::string& name) {
  const size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

std::string root_text(const Path& path, const Function& function) {
  switch (path.root) {
    case Path::Root::none:
      return "?";
    case Path::Root::global:
      return path.name.text();
    case Path::Root::parameter:
      return path.index < function.parameters.size() ? function.parameters[path.index].name
                                                     : fmt::format("parameter{}", path.index);
    case Path::Root::self:
      return "this";
    case Path::Root::capture:
      return path.index < function.captures.size() ? "=" + function.captures[path.index]
                                                   : fmt::format("capture{}", path.index);
    case Path::Root::local:
      return path.index < function.locals.size() ? function.locals[path.index].name
                                                 : fmt::format("local{}", path.index);
    case Path::Root::heap:
      return fmt::format("new{}", path.index);
    case Path::Root::result:
      return fmt::format("result{}", path.index);
  }
  return "?";
}

std::string tokens_text(const Tokens& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    constexpr const char* kKinds[] = {"%", "parameter", "capture"};
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", kKinds[static_cast<size_t>(token.kind)],
                        token.index);
  }
  return text.empty() ? "" : " <- " + text;
}

std::string call_text(const Call& call, const Function& function) {
  std::string text = fmt::format("call {}{}{}", call.name.text(), call.is_const ? " const" : "",
                                 call.is_virtual ? " virtual" : "");
  if (call.is_method) text += " on " + to_text(call.receiver, function);
  if (call.callee.empty()) text += " through " + to_text(call.through, function);
  for (const Value& argument : call.arguments) text += ", " + to_text(argument, function);
  return text;
}

std::string spawn_text(const Spawn& spawn, const Function& function) {
  std::string text = fmt::format("spawn{} {} by {}, handle {}", spawn.many ? " many" : "",
                                 to_text(spawn.entry, function), spawn.how.text(),
                                 to_text(spawn.handle, function));
  if (spawn.receiver.kind != Value::Kind::other) text += " on " + to_text(spawn.receiver, function);
  for (const Value& argument : spawn.arguments) text += ", " + to_text(argument, function);
  return text;
}

}  // namespace

std::string to_text(const Path& path, const Function& function) {
  std::string text = root_text(path, function);
  for (size_t i = 0; i < path.steps.size(); ++i) {
    const Step& step = path.steps[i];
    if (step.kind == Step::Kind::element) {
      text += "[" + step.index.text() + "]";
    } else if (step.kind == Step::Kind::field) {
      text += "." + last_part(step.name.text());
    } else if (i + 1 < path.steps.size() && path.steps[i + 1].kind == Step::Kind::field) {
      text += "->" + last_part(path.steps[++i].name.text());
    } else {
      text.insert(0, "*");
    }
  }
  return text;
}

std::string to_text(const Value& value, const Function& function) {
  const std::string tokens = tokens_text(value.tokens);
  switch (value.kind) {
    case Value::Kind::other:
      return "_" + tokens;
    case Value::Kind::address_of:
      return "&" + to_text(value.path, function) + tokens;
    case Value::Kind::value_of:
      return to_text(value.path, function) + tokens;
    case Value::Kind::function:
      break;
  }
  std::string text = value.function.text();
  for (const Value& capture : value.captures) text += " [" + to_text(capture, function) + "]";
  return text + tokens;
}

std::string to_text(const Op& op, const Function& function) {
  std::string text = fmt::format("%{} {}:{}:{} ", op.id,
                                 std::filesystem::path(op.position.file.text()).filename().string(),
                                 op.position.line, op.position.column);
  if (const Access* access = op.as<Access>()) {
    text +=
        fmt::format("{}{}{} {}", access->atomic ? "atomic " : "", access->write ? "write" : "read",
                    access->on_the_way ? " (way)" : "", to_text(access->path, function));
    if (!access->element.empty()) text += " at own " + access->element.text();
  } else if (const Acquire* acquire = op.as<Acquire>()) {
    text += fmt::format("acquire{}{} {}", acquire->shared ? " shared" : "",
                        acquire->by_wait ? " (wait)" : "", to_text(acquire->lock, function));
  } else if (const Release* release = op.as<Release>()) {
    text += fmt::format("release{} {}", release->by_wait ? " (wait)" : "",
                        to_text(release->lock, function));
  } else if (const Call* call = op.as<Call>()) {
    text += call_text(*call, function);
  } else if (const Spawn* spawn = op.as<Spawn>()) {
    text += spawn_text(*spawn, function);
  } else if (const Join* join = op.as<Join>()) {
    text += fmt::format("join{} {}", join->own_only ? " own" : "", to_text(join->handle, function));
  } else if (op.as<Barrier>() != nullptr) {
    text += "barrier";
  } else if (const Return* value = op.as<Return>()) {
    text += "return " + to_text(value->value, function);
  }
  text += tokens_text(op.uses);
  for (const Held& held : op.held) {
    text +=
        fmt::format(" {{{}{}@{}}}", held.shared ? "shared " : "", to_text(held.lock, function),
                    held.acquired_by == kFromCaller ? "caller" : std::to_string(held.acquired_by));
  }
  return text;
}

std::string to_text(const Function& function) {
  std::string text = fmt::format("function {} ({})\n", function.name, function.usr.text());
  for (size_t i = 0; i < function.blocks.size(); ++i) {
    const Block& block = function.blocks[i];
    text += fmt::format(" block {}{}{}", i, block.in_loop ? " in a loop" : "",
                        tokens_text(block.condition));
    if (!block.controlled_by.empty()) {
      text += fmt::format(", if {}", fmt::join(block.controlled_by, " "));
    }
    text += fmt::format(", next {}\n", fmt::join(block.next, " "));
    for (const Op& op : block.ops) text += "  " + to_text(op, function) + "\n";
  }
  for (const Binding& binding : function.bindings) {
    text += fmt::format(" {} may be {}\n", to_text(binding.target, function),
                        to_text(binding.value, function));
  }
  return text;
}

}  // namespace foretrace::lint
