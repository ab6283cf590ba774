#include "trace/text_writer.h"

#include <algorithm>

#include "base/table.h"
#include "trace/interner.h"

namespace foretrace {
namespace {

constexpr size_t kFlushSize = size_t{1} << 16;

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The thread's name as the format numbers threads: 7 or T7.
std::string numbered_thread(std::string_view name, Spelling::Threads threads) {
  if (threads == Spelling::Threads::with_t && is_number(name)) return fmt::format("T{}", name);
  if (threads == Spelling::Threads::plain && name.starts_with('T') && is_number(name.substr(1))) {
    name.remove_prefix(1);
  }
  return std::string(name);
}

std::string spelled(std::string_view text, bool (*legal)(std::string_view, size_t)) {
  std::string word(text);
  for (size_t i = 0; i < word.size(); ++i) {
    if (!legal(text, i)) word[i] = '_';
  }
  return word.empty() ? "_" : word;
}

}  // namespace

Result<void> TextTraceWriter::write(const EventBatch& batch) {
  for (const Event& event : batch.events) {
    if (event.op() != Op::skip) line(event, batch.value_of(event));
    if (text_.size() >= kFlushSize) flush();
  }
  flush();
  return {};
}

Result<void> TextTraceWriter::finish() {
  at_end();
  flush();
  return {};
}

void TextTraceWriter::flush() {
  sink().write(text_);
  text_.clear();
}

std::string TextTraceWriter::legal_word(std::string_view name) {
  std::string word = spelled(name, spelling_.legal);
  if (word != name) lose(Loss::name);
  return word;
}

std::string_view TextTraceWriter::add_word(Space space, uint32_t id) {
  const std::string_view name = symbols().names(space)[id];
  const std::string wanted =
      space == Space::thread ? numbered_thread(name, spelling_.threads) : std::string(name);
  const std::string base = spelled(wanted, spelling_.legal);

  tsl::robin_set<std::string_view>& taken = taken_[static_cast<size_t>(space)];
  std::string word = base;
  while (taken.contains(word)) {
    uint32_t& copy = copies_[static_cast<size_t>(space)].try_emplace(base, 1).first.value();
    word = fmt::format("{}_{}", base, ++copy);
  }
  if (word != wanted) lose(Loss::name);

  std::vector<std::string_view>& words = words_[static_cast<size_t>(space)];
  if (id >= words.size()) words.resize(std::max<size_t>(id + 1, words.size() * 2));
  words[id] = word == name ? name : own_words_.emplace_back(word);
  taken.insert(words[id]);
  return words[id];
}

std::string_view TextTraceWriter::add_site(SiteId id) {
  const Site& site = symbols().sites[id];
  const std::string wanted = symbols().site_text(id);
  std::string word = spelled(wanted, spelling_.legal_in_site);
  const SiteText parsed = parse_site(word);
  const std::string_view file =
      site.file == 0 ? std::string_view() : symbols().files[site.file - 1];
  if (word != wanted) {
    lose(Loss::name);
  } else if (parsed.file != file || parsed.line != site.line || parsed.column != site.column) {
    lose(Loss::site);  // a file called "12", say
  }
  if (site.function != 0) lose(Loss::function);
  return slot(sites_, id) = std::move(word);
}

}  // namespace foretrace
