#include "lint/models.h"

#include <cassert>

#include "base/text.h"

namespace foretrace::lint {
namespace {

constexpr char kData[] =
#include "models.inc"
    ;

std::optional<ObjectEffect> parse_effect(std::string_view text) {
  if (text == "r") return ObjectEffect{true, false};
  if (text == "w") return ObjectEffect{false, true};
  if (text == "rw") return ObjectEffect{true, true};
  return std::nullopt;
}

bool is_pattern(std::string_view name) {
  // X::operator* and X::operator*= are names of operators.
  for (const std::string_view multiplication : {"::operator*", "::operator*=", "::operator->*"}) {
    if (name.ends_with(multiplication)) name.remove_suffix(multiplication.size());
  }
  return name.find_first_of("*?") != std::string_view::npos;
}

// What nothing is known of but its declaration.
CallEffect by_declaration(const Call& call) {
  CallEffect effect;
  if (call.is_method) effect.receiver = {true, !call.is_const};
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const Value& argument = call.arguments[i];
    const bool indirect =
        argument.kind == Value::Kind::address_of || argument.kind == Value::Kind::value_of;
    const bool is_const = i >= call.argument_is_const.size() || call.argument_is_const[i];
    effect.arguments.push_back(indirect ? ObjectEffect{true, !is_const} : ObjectEffect{});
  }
  return effect;
}

}  // namespace

Models::Models() {
  [[maybe_unused]] const Result<void> done = add(kData, "models.txt");
  assert(done.has_value());
}

// Names may contain blanks ("operator bool"): what a call does are the words at the end.
Result<Models::Model> Models::parse(const std::vector<std::string_view>& words) {
  Model model;
  size_t end = words.size();
  for (; end > 1; --end) {
    const std::string_view word = words[end - 1];
    if (word == "none" && end == words.size()) {
      --end;
      break;
    }
    const size_t equals = word.find('=');
    const std::optional<ObjectEffect> effect =
        equals != std::string_view::npos ? parse_effect(word.substr(equals + 1)) : std::nullopt;
    const std::string_view target = word.substr(0, equals);
    const std::optional<int64_t> number = parse_integer(target);
    const bool is_argument = number && *number >= 0 && *number < 256;
    if (!effect || (target != "this" && !is_argument)) break;
    if (is_argument) {
      model.arguments[static_cast<uint32_t>(*number)] = *effect;
    } else {
      model.receiver = *effect;
    }
  }
  if (end == words.size()) {
    return fail("'{}' says nothing: write this=r, this=w, this=rw, 0=r, 1=w … or none",
                printable(words.back()));
  }
  for (size_t i = 0; i < end; ++i) model.pattern += (i > 0 ? " " : "") + std::string(words[i]);
  return model;
}

Result<void> Models::add(std::string_view text, std::string_view name) {
  size_t line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++line_number;
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    Result<Model> model = parse(words);
    if (!model) return fail("{}:{}: {}", name, line_number, model.error().message);
    if (is_pattern(model->pattern)) {
      patterns_.push_back(models_.size());
    } else {
      exact_[model->pattern] = models_.size();
    }
    models_.push_back(std::move(*model));
  }
  found_.clear();
  return {};
}

const Models::Model* Models::find(Name name) const {
  const auto [known, is_new] = found_.try_emplace(name, nullptr);
  if (!is_new) return known->second;
  std::optional<size_t> best;
  if (const auto exact = exact_.find(name.text()); exact != exact_.end()) best = exact->second;
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
    if (best && *pattern < *best) break;
    if (glob_match(models_[*pattern].pattern, name.text())) {
      best = *pattern;
      break;
    }
  }
  if (best) known->second = &models_[*best];
  return known->second;
}

CallEffect Models::effect(const Call& call) const {
  const Model* const model = find(call.name);
  if (model == nullptr) return by_declaration(call);
  CallEffect effect;
  effect.receiver = model->receiver.value_or(ObjectEffect());
  for (const auto& [index, argument] : model->arguments) {
    if (index >= effect.arguments.size()) effect.arguments.resize(index + 1);
    effect.arguments[index] = argument;
  }
  return effect;
}

}  // namespace foretrace::lint
