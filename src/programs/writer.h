// What the writers of all languages share: the statements of a thread as lines.
#pragma once

#include <string>
#include <string_view>

#include "programs/language.h"

namespace foretrace::programs {

// Source text with an indentation that grows and shrinks.
class SourceText {
 public:
  explicit SourceText(size_t indent_width) : indent_width_(indent_width) {}

  void line(std::string_view text = {});
  // Appends `text`, whose lines have their own indentation, under the current one.
  void lines(std::string_view text);
  void open(std::string_view text) {
    line(text);
    ++depth_;
  }
  void close(std::string_view text = "}") {
    --depth_;
    line(text);
  }
  void close_and_open(std::string_view text) {
    --depth_;
    open(text);
  }
  std::string take() { return std::move(text_); }

 private:
  size_t indent_width_;
  size_t depth_ = 0;
  std::string text_;
};

// Writes the operations of one program. A language implements the words.
class ProgramWriter {
 public:
  // The program's operations count from `first_step` on: programs that run one
  // after the other in one program go on counting.
  ProgramWriter(SourceText& text, const Program& program, const ProgramOptions& options,
                uint64_t first_step)
      : text_(text), program_(program), options_(options), first_step_(first_step) {}
  virtual ~ProgramWriter() = default;
  ProgramWriter(const ProgramWriter&) = delete;
  ProgramWriter& operator=(const ProgramWriter&) = delete;

 protected:
  // The words of an operation that is no block, without its site; "" if there is
  // nothing to do.
  virtual std::string words_for(const Action& action) = 0;
  // The block of a unit or of a lock; or the method, where a unit is one.
  struct Block {
    std::vector<std::string> before;  // lines
    std::string opening;              // the line with the brace
    std::vector<std::string> inside;  // the first lines in it
    std::string finally = {};         // a line that comes at its end, whatever happens
  };
  virtual Block block_of(const Action& action, bool as_method) = 0;
  // Lets other threads run.
  virtual std::string yield_words() = 0;
  // Prints a line; `text` is in double quotes.
  virtual std::string print_words(const std::string& text) = 0;

  // The methods of a thread's units, inner ones first.
  void write_methods(const std::vector<Statement>& body);
  void write_body(const std::vector<Statement>& body);
  // The body of a thread, after which those that wait for its last step go on.
  void write_thread(std::string_view head, const std::vector<Statement>& body);

  bool is_lockstep() const { return options_.schedule == Schedule::lockstep; }
  const Action& action(uint32_t i) const { return program_.actions[i]; }
  const Program& program() const { return program_; }
  const ProgramOptions& options() const { return options_; }
  SourceText& text() { return text_; }
  uint64_t step_of(uint32_t i) const { return first_step_ + i; }
  std::string_view label_of(const Action& action) const;

 private:
  bool is_method(const Statement& statement) const;
  void write_statement(const Statement& statement);
  void write_block(const Statement& statement, bool as_method);
  // What stands before an operation and keeps it in its place; "" if nothing does.
  std::string place_words(uint64_t step);
  void write_place(uint32_t i);
  // "  // bank.cpp:41", or "".
  std::string site_comment(const Action& action) const;

  SourceText& text_;
  const Program& program_;
  const ProgramOptions& options_;
  const uint64_t first_step_;
};

// The comment at the top: what the program is and how it was made.
std::string header_comment(const ProgramOptions& options);

// "account: x, y" for each set of locations that the program uses.
std::vector<std::string> set_comments(const Program& program);

// `text`, one line, so that a comment with it ends where its line does.
std::string in_comment(std::string_view text);

// `text` inside double quotes.
std::string quoted(std::string_view text);

}  // namespace foretrace::programs
