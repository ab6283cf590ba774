// The page that HTML reports are: web/, built into one file and embedded here.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "base/output.h"
#include "report/event_table.h"

namespace foretrace {

// Why there is no page in this program; empty if there is one.
std::string_view why_no_page();

// Writes the page around its data, which is one JSON object. Between begin() and
// end() the caller writes that object's members with raw().
class PageWriter {
 public:
  explicit PageWriter(ByteSink& sink) : sink_(sink) {}
  void begin();
  // A part of the JSON text, such as `"name": `; made safe to stand in HTML.
  void raw(std::string_view json);
  void end();

 private:
  ByteSink& sink_;
};

// The events as columns: see web/src/data.ts.
nlohmann::ordered_json table_json(const EventTable& table);

}  // namespace foretrace
