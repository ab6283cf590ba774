#include "recording/debug_info.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include "base/library_noise.h"
#include "base/text.h"

namespace foretrace {
namespace {

struct Symbol {
  std::string name;
  uint64_t bytes;
};
using SymbolTable = std::map<uint64_t, Symbol>;

// A unit of compilation and a range of its code. Not every compiler writes
// .debug_aranges, so the ranges are read from the units.
struct UnitRange {
  uint64_t start;
  uint64_t end;
  Dwarf_Die unit;
};

std::string demangled(const char* name) {
  if (name[0] != '_' || name[1] != 'Z') return name;  // "x" is long long, as a type
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

// Where an inlined or separately defined function was declared, which is where
// its name and its scopes are.
Dwarf_Die declaration(Dwarf_Die die) {
  for (int step = 0; step < 8; ++step) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == nullptr &&
        dwarf_attr(&die, DW_AT_specification, &attribute) == nullptr) {
      break;
    }
    if (dwarf_formref_die(&attribute, &next) == nullptr) break;
    die = next;
  }
  return die;
}

class Scopes {
 public:
  ~Scopes() { std::free(list_); }
  Scopes() = default;
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  // The scopes around a DIE, itself first.
  void around(Dwarf_Die& die) {
    std::free(std::exchange(list_, nullptr));
    count_ = std::max(0, dwarf_getscopes_die(&die, &list_));
  }
  // As the code lies in memory: with the functions that were inlined.
  void at(Dwarf_Die& unit, uint64_t address) {
    count_ = std::max(0, dwarf_getscopes(&unit, address, &list_));
    if (count_ == 0) return;
    Dwarf_Die innermost = list_[0];
    around(innermost);
  }
  Dwarf_Die* begin() { return list_; }
  Dwarf_Die* end() { return list_ + count_; }

 private:
  Dwarf_Die* list_ = nullptr;
  int count_ = 0;
};

bool is_named_scope(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type;
}

// The namespaces and classes of a unit, by the bytes that they and what is in them take in the
// debug information: read once, where libdw goes through all of the unit for each question.
class UnitScopes {
 public:
  explicit UnitScopes(Dwarf_Die unit) { read(unit, UINT64_MAX, kNone); }

  // The names of those around a DIE, innermost first; nothing if it is inside a function, which
  // is not looked into.
  std::optional<std::vector<const char*>> around(Dwarf_Off offset) const {
    auto next =
        std::upper_bound(scopes_.begin(), scopes_.end(), offset,
                         [](Dwarf_Off value, const Scope& scope) { return value <= scope.begin; });
    size_t at = next == scopes_.begin() ? kNone : static_cast<size_t>(next - scopes_.begin()) - 1;
    while (at != kNone && scopes_[at].end <= offset) at = scopes_[at].parent;
    if (at != kNone && scopes_[at].is_function) return std::nullopt;
    std::vector<const char*> names;
    for (; at != kNone; at = scopes_[at].parent) {
      if (scopes_[at].name != nullptr) names.push_back(scopes_[at].name);
    }
    return names;
  }

 private:
  struct Scope {
    Dwarf_Off begin;
    Dwarf_Off end;
    size_t parent;  // in the list, or kNone
    const char* name;
    bool is_function;
  };
  static constexpr size_t kNone = SIZE_MAX;

  void read(Dwarf_Die& parent_die, Dwarf_Off parent_end, size_t parent) {
    Dwarf_Die die;
    for (bool more = dwarf_child(&parent_die, &die) == 0; more;) {
      Dwarf_Die sibling;
      more = dwarf_siblingof(&die, &sibling) == 0;
      const int tag = dwarf_tag(&die);
      if (is_named_scope(tag) || tag == DW_TAG_subprogram) {
        const Dwarf_Off end = more ? dwarf_dieoffset(&sibling) : parent_end;
        const size_t place = scopes_.size();
        const bool is_function = tag == DW_TAG_subprogram;
        scopes_.push_back({dwarf_dieoffset(&die), end, parent,
                           is_function ? nullptr : dwarf_diename(&die), is_function});
        if (!is_function) read(die, end, place);
      }
      die = sibling;
    }
  }

  std::vector<Scope> scopes_;  // by where they begin
};

uint32_t number_of(Dwarf_Die& die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(&die, attribute_name, &attribute) == nullptr) return 0;
  return dwarf_formudata(&attribute, &value) == 0 ? static_cast<uint32_t>(value) : 0;
}

std::string file_number(Dwarf_Die& unit, uint32_t number) {
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count) return "";
  const char* const name = dwarf_filesrc(files, number, nullptr, nullptr);
  return name != nullptr ? name : "";
}

CodeFrame place_at(Dwarf_Die& unit, uint64_t address) {
  CodeFrame frame;
  Dwarf_Line* const line = dwarf_getsrc_die(&unit, address);
  if (line == nullptr) return frame;
  const char* const file = dwarf_linesrc(line, nullptr, nullptr);
  int number = 0;
  int column = 0;
  dwarf_lineno(line, &number);
  dwarf_linecol(line, &column);
  frame.file = file != nullptr ? file : "";
  frame.line = static_cast<uint32_t>(number);
  frame.column = static_cast<uint32_t>(column);
  return frame;
}

// The symbol whose bytes contain the address.
const SymbolTable::value_type* symbol_at(const SymbolTable& symbols, uint64_t address) {
  auto found = symbols.upper_bound(address);
  if (found == symbols.begin()) return nullptr;
  --found;
  const bool inside = address < found->first + std::max<uint64_t>(1, found->second.bytes);
  return inside ? &*found : nullptr;
}

}  // namespace

struct DebugInfo::Data {
  int fd = -1;
  Elf* elf = nullptr;
  Dwarf* dwarf = nullptr;
  SymbolTable functions;
  SymbolTable variables;
  std::vector<UnitRange> units;
  std::map<Dwarf_Off, UnitScopes> scopes;  // by their units

  void read_symbols() {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
      if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
      Elf_Data* const table = elf_getdata(section, nullptr);
      const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
      for (int i = 0; table != nullptr && i < count; ++i) read_symbol(*table, header.sh_link, i);
    }
  }

  void read_symbol(Elf_Data& table, size_t names, int index) {
    GElf_Sym symbol;
    if (gelf_getsym(&table, index, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) return;
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_OBJECT) return;
    const char* const name = elf_strptr(elf, names, symbol.st_name);
    if (name == nullptr || name[0] == '\0') return;
    SymbolTable& target = type == STT_FUNC ? functions : variables;
    target.try_emplace(symbol.st_value, Symbol{name, symbol.st_size});
  }

  void read_units() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      Dwarf_Addr base = 0;
      Dwarf_Addr start = 0;
      Dwarf_Addr end = 0;
      for (ptrdiff_t offset = 0; (offset = dwarf_ranges(&die, offset, &base, &start, &end)) > 0;) {
        units.push_back({start, end, die});
      }
    }
    std::sort(units.begin(), units.end(),
              [](const UnitRange& a, const UnitRange& b) { return a.start < b.start; });
  }

  std::string qualified_name(const Dwarf_Die& die) {
    Dwarf_Die declared = declaration(die);
    const char* const name = dwarf_diename(&declared);
    std::string text = name != nullptr ? name : "";
    Dwarf_Die unit;
    if (dwarf_diecu(&declared, &unit, nullptr, nullptr) == nullptr) return text;
    const UnitScopes& known = scopes.try_emplace(dwarf_dieoffset(&unit), unit).first->second;
    if (const auto around = known.around(dwarf_dieoffset(&declared))) {
      for (const char* const outer : *around) text = fmt::format("{}::{}", outer, text);
      return text;
    }
    Scopes all;
    all.around(declared);
    for (Dwarf_Die& scope : all) {
      if (scope.addr == declared.addr || !is_named_scope(dwarf_tag(&scope))) continue;
      if (const char* const outer = dwarf_diename(&scope)) {
        text = fmt::format("{}::{}", outer, text);
      }
    }
    return text;
  }

  std::string function_symbol(uint64_t address) const {
    const auto* const symbol = symbol_at(functions, address);
    return symbol != nullptr ? demangled(symbol->second.name.c_str()) : "";
  }

  Dwarf_Die* unit_at(uint64_t address) {
    auto range =
        std::upper_bound(units.begin(), units.end(), address,
                         [](uint64_t value, const UnitRange& unit) { return value < unit.start; });
    if (range == units.begin()) return nullptr;
    --range;
    return address < range->end ? &range->unit : nullptr;
  }
};

DebugInfo::DebugInfo(const std::string& path) : data_(std::make_unique<Data>()) {
  data_->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (data_->fd < 0) return;
  elf_version(EV_CURRENT);
  data_->elf = elf_begin(data_->fd, ELF_C_READ_MMAP, nullptr);
  if (data_->elf == nullptr) return;
  data_->read_symbols();
  data_->dwarf = dwarf_begin_elf(data_->elf, DWARF_C_READ, nullptr);
  if (data_->dwarf != nullptr) data_->read_units();
}

DebugInfo::~DebugInfo() {
  if (data_->dwarf != nullptr) dwarf_end(data_->dwarf);
  if (data_->elf != nullptr) elf_end(data_->elf);
  if (data_->fd >= 0) ::close(data_->fd);
}

std::vector<CodeFrame> DebugInfo::frames(uint64_t address) const {
  Dwarf_Die* const unit = data_->unit_at(address);
  if (unit == nullptr) {
    const std::string symbol = data_->function_symbol(address);
    if (symbol.empty()) return {};
    return {CodeFrame{"", 0, 0, symbol}};
  }
  std::vector<CodeFrame> frames;
  CodeFrame place = place_at(*unit, address);
  Scopes scopes;
  scopes.at(*unit, address);
  for (Dwarf_Die& scope : scopes) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    place.function = data_->qualified_name(scope);
    frames.push_back(place);
    if (tag == DW_TAG_subprogram) break;
    place = {file_number(*unit, number_of(scope, DW_AT_call_file)),
             number_of(scope, DW_AT_call_line), number_of(scope, DW_AT_call_column), ""};
  }
  if (frames.empty()) frames.push_back(place);
  // libdw does not find functions inside of functions, as lambdas are.
  if (frames.back().function.empty()) frames.back().function = data_->function_symbol(address);
  return frames;
}

std::string DebugInfo::variable(uint64_t address) const {
  const auto* const symbol = symbol_at(data_->variables, address);
  if (symbol == nullptr) return "";
  const std::string name = demangled(symbol->second.name.c_str());
  const uint64_t offset = address - symbol->first;
  return offset == 0 ? name : fmt::format("{}+{}", name, offset);
}

bool is_system_file(const std::string& file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") ||
         file.find("/include/c++/") != std::string::npos ||
         file.find("/../include/") != std::string::npos;
}

bool is_to_be_shown(const std::string& file, const std::string& function) {
  return !is_system_file(file) ||
         std::any_of(std::begin(kNoisyFunctions), std::end(kNoisyFunctions),
                     [&](std::string_view pattern) { return glob_match(pattern, function); });
}

}  // namespace foretrace
