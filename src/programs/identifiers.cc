#include "programs/identifiers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace foretrace::programs {
namespace {

// Words of C++ and Java, macros of their usual headers that are not in capitals, and
// what the programs define for themselves. In alphabetical order.
constexpr auto kReserved = std::to_array<std::string_view>({"Atomic",
                                                            "Barrier",
                                                            "EOF",
                                                            "NULL",
                                                            "Object",
                                                            "Thread",
                                                            "abstract",
                                                            "alloca",
                                                            "alignas",
                                                            "alignof",
                                                            "and",
                                                            "and_eq",
                                                            "arrive",
                                                            "asm",
                                                            "assert",
                                                            "atomic",
                                                            "auto",
                                                            "await",
                                                            "bitand",
                                                            "bitor",
                                                            "bool",
                                                            "boolean",
                                                            "break",
                                                            "busy",
                                                            "byte",
                                                            "case",
                                                            "catch",
                                                            "char",
                                                            "char16_t",
                                                            "char32_t",
                                                            "char8_t",
                                                            "class",
                                                            "co_await",
                                                            "co_return",
                                                            "co_yield",
                                                            "compl",
                                                            "concept",
                                                            "const",
                                                            "const_cast",
                                                            "consteval",
                                                            "constexpr",
                                                            "constinit",
                                                            "continue",
                                                            "decltype",
                                                            "default",
                                                            "delete",
                                                            "do",
                                                            "double",
                                                            "dynamic_cast",
                                                            "else",
                                                            "enum",
                                                            "errno",
                                                            "expect",
                                                            "explicit",
                                                            "export",
                                                            "extends",
                                                            "extern",
                                                            "false",
                                                            "final",
                                                            "finally",
                                                            "finish",
                                                            "float",
                                                            "for",
                                                            "foretrace",
                                                            "friend",
                                                            "goto",
                                                            "if",
                                                            "implements",
                                                            "import",
                                                            "inline",
                                                            "instanceof",
                                                            "int",
                                                            "interface",
                                                            "is_next",
                                                            "isNext",
                                                            "join",
                                                            "linux",
                                                            "long",
                                                            "main",
                                                            "mutable",
                                                            "namespace",
                                                            "native",
                                                            "new",
                                                            "noexcept",
                                                            "not",
                                                            "offsetof",
                                                            "not_eq",
                                                            "notify",
                                                            "notifyAll",
                                                            "null",
                                                            "nullptr",
                                                            "operator",
                                                            "or",
                                                            "or_eq",
                                                            "package",
                                                            "pause",
                                                            "private",
                                                            "protected",
                                                            "public",
                                                            "record",
                                                            "register",
                                                            "reinterpret_cast",
                                                            "requires",
                                                            "return",
                                                            "run",
                                                            "sched_priority",
                                                            "sealed",
                                                            "short",
                                                            "signed",
                                                            "sizeof",
                                                            "start",
                                                            "static",
                                                            "static_assert",
                                                            "static_cast",
                                                            "std",
                                                            "stderr",
                                                            "stdin",
                                                            "stdout",
                                                            "step",
                                                            "strictfp",
                                                            "struct",
                                                            "super",
                                                            "switch",
                                                            "synchronized",
                                                            "template",
                                                            "this",
                                                            "thread_local",
                                                            "throw",
                                                            "throws",
                                                            "trace",
                                                            "transient",
                                                            "true",
                                                            "try",
                                                            "turn",
                                                            "turn_changed",
                                                            "turn_mutex",
                                                            "typedef",
                                                            "typeid",
                                                            "typename",
                                                            "union",
                                                            "unix",
                                                            "unsigned",
                                                            "use",
                                                            "using",
                                                            "var",
                                                            "virtual",
                                                            "void",
                                                            "volatile",
                                                            "wait",
                                                            "waitUntilStep",
                                                            "wait_until_step",
                                                            "wchar_t",
                                                            "while",
                                                            "xor",
                                                            "xor_eq",
                                                            "yield"});

bool is_reserved(const std::string& word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end() ||
         word.starts_with("FORETRACE");
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A word in capitals may be a macro, such as EOF.
bool may_be_macro(const std::string& word) {
  const bool capitals =
      std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return capitals && std::count_if(word.begin(), word.end(), is_letter) >= 3;
}

std::string in_small_letters(std::string word) {
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return word;
}

}  // namespace

std::string identifier_of(std::string_view text, std::string_view prefix) {
  std::string word;
  for (const char c : text) {
    const bool legal = is_letter(c) || is_digit(c);
    // Two underscores, or one at an end, are for the compiler.
    if (legal) {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  while (word.ends_with('_')) word.pop_back();
  if (word.empty()) return std::string(prefix);
  if (is_digit(word[0])) return fmt::format("{}_{}", prefix, word);
  return may_be_macro(word) ? in_small_letters(std::move(word)) : word;
}

std::string Identifiers::add(std::string_view wanted, std::string_view prefix) {
  const std::string base = identifier_of(wanted, prefix);
  std::string word = base;
  while (is_reserved(word) || taken_.contains(word)) {
    uint32_t& copy = copies_.try_emplace(base, 1).first->second;
    word = fmt::format("{}_{}", base, ++copy);
  }
  taken_.insert(word);
  return word;
}

}  // namespace foretrace::programs
