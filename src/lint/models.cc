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

Result<void> Models::add(std::string_view text, std::string_view name) {
  size_t line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++line_number;
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    Model model{std::string(words[0]), std::nullopt, {}};
    if (words.size() < 2) {
      return fail("{}:{}: '{}' needs what it does: this=r, 0=w … or none", name, line_number,
                  printable(words[0]));
    }
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "none" && words.size() == 2) break;
      const size_t equals = words[i].find('=');
      const std::string_view target = words[i].substr(0, equals);
      const std::optional<ObjectEffect> effect = equals == std::string_view::npos
                                                     ? std::nullopt
                                                     : parse_effect(words[i].substr(equals + 1));
      const std::optional<int64_t> number = parse_integer(target);
      const bool is_argument = number && *number >= 0 && *number < 256;
      if (!effect || (target != "this" && !is_argument)) {
        return fail("{}:{}: '{}' is none of this=r, this=w, this=rw, 0=r, 1=w …", name, line_number,
                    printable(words[i]));
      }
      if (is_argument) {
        model.arguments[static_cast<uint32_t>(*number)] = *effect;
      } else {
        model.receiver = *effect;
      }
    }
    if (is_pattern(model.pattern)) {
      patterns_.push_back(models_.size());
    } else {
      exact_[model.pattern] = models_.size();
    }
    models_.push_back(std::move(model));
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
