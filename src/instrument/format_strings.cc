#include "instrument/format_strings.h"

#include <llvm/ADT/StringExtras.h>

namespace foretrace::instrument {
namespace {

// Walks through a format, conversion by conversion.
class Scanner {
 public:
  explicit Scanner(llvm::StringRef format) : rest_(format) {}

  // Goes behind the next %; false: there is none.
  bool find_conversion() {
    const size_t place = rest_.find('%');
    rest_ = rest_.drop_front(place == llvm::StringRef::npos ? rest_.size() : place + 1);
    return !rest_.empty();
  }
  bool take(char character) { return rest_.consume_front(llvm::StringRef(&character, 1)); }
  void skip(llvm::StringRef characters) { rest_ = rest_.ltrim(characters); }
  std::optional<uint64_t> take_number() {
    uint64_t number = 0;
    if (rest_.empty() || !llvm::isDigit(rest_.front())) return std::nullopt;
    if (rest_.consumeInteger(10, number)) return std::nullopt;
    return number;
  }
  // hh, l and so on.
  llvm::StringRef take_length() {
    const llvm::StringRef length = rest_.take_while([](char c) { return is_length(c); });
    rest_ = rest_.drop_front(length.size());
    return length;
  }
  char take_letter() {
    const char letter = rest_.empty() ? '\0' : rest_.front();
    rest_ = rest_.drop_front(rest_.empty() ? 0 : 1);
    return letter;
  }
  // The characters of %[…]; a bracket may be the first of them.
  void skip_set() {
    take('^');
    take(']');
    rest_ = rest_.drop_while([](char c) { return c != ']'; });
    take(']');
  }

 private:
  static bool is_length(char c) { return llvm::StringRef("hljztLq").contains(c); }
  llvm::StringRef rest_;
};

uint64_t integer_bytes(llvm::StringRef length) {
  if (length == "hh") return 1;
  if (length == "h") return 2;
  return length.empty() ? 4 : 8;
}

uint64_t real_bytes(llvm::StringRef length) {
  if (length == "L") return 10;  // of 16
  return length == "l" ? 8 : 4;
}

// How many bytes scanf() writes; 0: not known here.
uint64_t scanned_bytes(char letter, llvm::StringRef length, uint64_t width) {
  if (llvm::StringRef("diouxX").contains(letter)) return integer_bytes(length);
  if (llvm::StringRef("aAeEfFgG").contains(letter)) return real_bytes(length);
  if (letter == 'p') return 8;
  return letter == 'c' && length.empty() ? width : 0;
}

}  // namespace

std::vector<Conversion> printed(llvm::StringRef format) {
  std::vector<Conversion> found;
  unsigned argument = 0;
  for (Scanner scanner(format); scanner.find_conversion();) {
    Conversion conversion = {.argument = 0, .is_string = true};
    scanner.skip("-+ #0'");
    if (scanner.take('*')) {
      ++argument;
    } else {
      scanner.take_number();
    }
    if (scanner.take('$')) return {};  // arguments have numbers
    if (scanner.take('.')) {
      if (scanner.take('*')) {
        conversion.most_argument = argument++;
      } else {
        conversion.most = scanner.take_number().value_or(0);
      }
    }
    const llvm::StringRef length = scanner.take_length();
    const char letter = scanner.take_letter();
    if (letter == '%' || letter == 'm') continue;
    conversion.argument = argument++;
    if (letter == 's' && length.empty()) found.push_back(conversion);
  }
  return found;
}

std::vector<Conversion> scanned(llvm::StringRef format) {
  std::vector<Conversion> found;
  unsigned argument = 0;
  unsigned number = 0;
  for (Scanner scanner(format); scanner.find_conversion();) {
    const bool is_dropped = scanner.take('*');
    const uint64_t width = scanner.take_number().value_or(1);
    if (scanner.take('$')) return {};
    const bool allocates = scanner.take('m');
    const llvm::StringRef length = scanner.take_length();
    const char letter = scanner.take_letter();
    if (letter == '[') scanner.skip_set();
    if (letter == '%' || is_dropped) continue;
    if (letter == 'n') {
      ++argument;
      continue;
    }
    Conversion conversion = {.argument = argument++, .is_string = false, .number = number++};
    conversion.is_string = !allocates && length.empty() && (letter == 's' || letter == '[');
    conversion.bytes = allocates ? sizeof(char*) : scanned_bytes(letter, length, width);
    if (conversion.is_string || conversion.bytes > 0) found.push_back(conversion);
  }
  return found;
}

}  // namespace foretrace::instrument
