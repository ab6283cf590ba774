#include "report/page.h"

#include <string>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "report/words.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned char kBytes[] = {
#include "page.inc"
    0};

// Where the data stands in the page.
constexpr std::string_view kPlace = "__FORETRACE_DATA__";

std::string_view page() { return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes) - 1}; }

// Numbers names as they come up.
class Names {
 public:
  // `key` tells names apart; `make` gives the JSON of a new one.
  template <typename Make>
  size_t number(uint64_t key, Make make) {
    const auto [entry, fresh] = numbers_.try_emplace(key, list_.size());
    if (fresh) list_.push_back(make());
    return entry->second;
  }
  Json take() { return std::move(list_); }

 private:
  tsl::robin_map<uint64_t, size_t, IntegerHash> numbers_;
  Json list_ = Json::array();
};

// Short, as in the figures of paper 000, and as a verb.
Json ops_json() {
  Json ops = Json::array();
  for (size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    const std::string short_name = op == Op::rd   ? "r"
                                   : op == Op::wr ? "w"
                                                  : std::string(name_of(op));
    ops.push_back({{"name", std::string(name_of(op))}, {"short", short_name}, {"verb", verb(op)}});
  }
  return ops;
}

}  // namespace

std::string_view why_no_page() {
  return page().find(kPlace) == std::string_view::npos
             ? "the HTML page is not in this program: npm was not there or failed when it was "
               "built; install npm and build again"
             : "";
}

void PageWriter::begin() { sink_.write(page().substr(0, page().find(kPlace))); }
void PageWriter::end() { sink_.write(page().substr(page().find(kPlace) + kPlace.size())); }

// No "<" means no "</script>" and no "<!--"; in JSON it stands only in strings.
void PageWriter::raw(std::string_view json) {
  for (;;) {
    const size_t found = json.find('<');
    sink_.write(json.substr(0, found));
    if (found == std::string_view::npos) return;
    sink_.write("\\u003c");
    json.remove_prefix(found + 1);
  }
}

Json table_json(const EventTable& table) {
  const Symbols& symbols = *table.symbols;
  Names threads;
  Names objects;
  Names sites;
  sites.number(kNoSite, [] { return Json(""); });
  const auto thread_number = [&](ThreadId id) {
    return threads.number(id, [&] { return Json(std::string(symbols.thread(id))); });
  };
  Json index = Json::array();
  Json thread = Json::array();
  Json op = Json::array();
  Json object = Json::array();
  Json site = Json::array();
  Json resumes = Json::array();
  Json value = Json::array();
  const EventBatch batch = {0, table.events, table.big_values};
  for (size_t i = 0; i < table.events.size(); ++i) {
    const Event& event = table.events[i];
    if (event.op() == Op::skip) continue;
    const Space space = space_of(event.op());
    const uint64_t key = static_cast<uint64_t>(space) << 32 | event.object;
    if (event.resumes != 0) resumes.push_back(index.size());
    index.push_back(table.indexes[i]);
    thread.push_back(thread_number(event.thread));
    op.push_back(event.op_bits);
    object.push_back(objects.number(key, [&] {
      return Json::array({static_cast<int>(space), std::string(symbols.object(event))});
    }));
    site.push_back(sites.number(event.site, [&] {
      const std::string text = symbols.site_text(event.site);
      const std::string function = symbols.site_function(event.site);
      return function.empty() ? Json(text) : Json::array({text, function});
    }));
    if (const std::optional<int64_t> known = batch.value_of(event)) {
      value.push_back(index.size() - 1);
      value.push_back(*known);
    }
  }
  return {{"threads", threads.take()}, {"objects", objects.take()},
          {"sites", sites.take()},     {"ops", ops_json()},
          {"index", std::move(index)}, {"thread", std::move(thread)},
          {"op", std::move(op)},       {"object", std::move(object)},
          {"site", std::move(site)},   {"resumes", std::move(resumes)},
          {"values", std::move(value)}};
}

}  // namespace foretrace
