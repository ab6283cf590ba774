#include "programs/writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace foretrace::programs {

void SourceText::line(std::string_view text) {
  if (!text.empty()) text_.append(depth_ * indent_width_, ' ').append(text);
  text_ += '\n';
}

void SourceText::lines(std::string_view text) {
  for (const std::string_view each : split(text, '\n')) line(each);
}

std::string_view ProgramWriter::label_of(const Action& action) const {
  return program_.symbols->names(Space::label)[action.operation.object];
}

bool ProgramWriter::is_method(const Statement& statement) const {
  return options_.unit_methods && statement.is_block() &&
         action(statement.first).operation.op == Op::beg;
}

void ProgramWriter::write_methods(const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    write_methods(statement.inside);
    if (!is_method(statement)) continue;
    write_block(statement, true);
    text_.line();
  }
}

void ProgramWriter::write_body(const std::vector<Statement>& body) {
  for (const Statement& statement : body) write_statement(statement);
}

void ProgramWriter::write_thread(std::string_view head, const std::vector<Statement>& body) {
  text_.open(fmt::format("{} {{", head));
  write_body(body);
  if (is_lockstep() && !body.empty()) text_.line("finish();");
  text_.close();
}

void ProgramWriter::write_statement(const Statement& statement) {
  const Action& first = action(statement.first);
  if (is_method(statement)) return text_.line(first.method + "();");
  if (statement.is_block()) return write_block(statement, false);
  write_place(statement.first);
  const std::string words = words_for(first);
  if (words.empty()) return;
  for (const std::string_view each : split(words, '\n')) {
    text_.line(std::string(each) + (each.data() == words.data() ? site_comment(first) : ""));
  }
}

void ProgramWriter::write_block(const Statement& statement, bool as_method) {
  const Action& first = action(statement.first);
  const Block block = block_of(first, as_method);
  if (!as_method) write_place(statement.first);
  for (const std::string& each : block.before) text_.line(each);
  text_.open(block.opening + site_comment(first));
  if (as_method) write_place(statement.first);
  for (const std::string& each : block.inside) text_.line(each);
  write_body(statement.inside);
  write_place(statement.last);
  if (!block.finally.empty()) {
    text_.close_and_open("} finally {");
    text_.line(block.finally);
  }
  text_.close();
}

// step() and pause() are helpers that every language has.
std::string ProgramWriter::place_words(uint64_t step) {
  switch (options_.schedule) {
    case Schedule::lockstep:
      return fmt::format("step({});", step);
    case Schedule::yield:
      return yield_words();
    case Schedule::sleep:
      return fmt::format("pause({});", step);
    case Schedule::free:
      break;
  }
  return "";
}

void ProgramWriter::write_place(uint32_t i) {
  const std::string words = place_words(step_of(i));
  if (!words.empty()) text_.line(words);
  if (options_.log) text_.line(print_words(quoted(program_.tiddle(action(i).operation))));
}

std::string ProgramWriter::site_comment(const Action& action) const {
  if (action.operation.site == kNoSite) return "";
  return "  // " + in_comment(printable(program_.symbols->site_text(action.operation.site)));
}

std::string header_comment(const ProgramOptions& options) {
  std::string text;
  for (const std::string& each : options.about) {
    text += (each.empty() ? "//" : "// " + in_comment(each)) + "\n";
  }
  return text;
}

std::vector<std::string> set_comments(const Program& program) {
  std::vector<std::string> comments;
  for (uint32_t i = 0; i < program.symbols->sets.size(); ++i) {
    const SetDeclaration& set = program.symbols->sets[i];
    std::vector<std::string> members;
    for (uint32_t location = 0; location < program.locations.size(); ++location) {
      const bool member = std::find(set.locations.begin(), set.locations.end(),
                                    program.symbols->location(location)) != set.locations.end();
      if (member && program.locations[location].used()) {
        members.push_back(program.locations[location].name);
      }
    }
    if (members.empty()) continue;
    comments.push_back(fmt::format("// {} belong together: {}.", fmt::join(members, ", "),
                                   in_comment(printable(set.name))));
  }
  return comments;
}

std::string in_comment(std::string_view text) {
  std::string out(text);
  // A backslash at the end would take the next line into the comment, and an escaped
  // line end would end it in Java.
  std::replace(out.begin(), out.end(), '\\', '/');
  if (out.ends_with("?\?/")) out += '.';  // a trigraph: that backslash again
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text, 200)) {
    // Two in a row may start a trigraph; both languages have octal escapes.
    if (c == '?' && out.back() == '?') {
      out += "\\077";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace foretrace::programs
