// The names that a program's runtime wrote down: its sites, labels and threads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "recording/code_modules.h"
#include "recording/mapped_file.h"
#include "runtime/layout.h"
#include "trace/interner.h"
#include "trace/symbols.h"

namespace foretrace {

// Files, functions and sites of the whole trace, each once.
class SiteInterner {
 public:
  explicit SiteInterner(Symbols& symbols)
      : symbols_(symbols), files_(symbols.files), functions_(symbols.functions) {}
  SiteId intern(std::string_view file, uint32_t line, uint32_t column, std::string_view function);

 private:
  Symbols& symbols_;
  Interner files_;
  Interner functions_;
  tsl::robin_map<Site, SiteId, SiteHash> sites_;
};

// The library (path) that a site's code is in; nothing for the program itself.
using SiteLibraries = std::map<SiteId, std::string>;

struct RecordedSite {
  SiteId site = kNoSite;
  std::string what;      // what is accessed there; empty if not known
  uint32_t element = 0;  // the size of the array's element, or 0
};

// The names of one program image. They grow while the program runs.
class RecordedNames {
 public:
  RecordedNames(MappedFile file, SiteInterner& sites, SiteLibraries& libraries)
      : file_(std::move(file)), sites_(sites), libraries_(libraries) {}

  // A name is written before the first record that uses it.
  const RecordedSite& site(uint32_t number) {
    if ((number & recording::kCodeSite) != 0) return code_site(number);
    if (number >= by_number_.size()) read_new();
    return number < by_number_.size() ? by_number_[number] : unknown_;
  }
  std::string label(uint32_t number);
  // The global variable at an address, as far as debug information is read: ""
  // for programs of the compiler plugin, whose sites say it.
  std::string variable(uint64_t address) { return modules_.variable(address); }
  // "" if the program gave the thread no name.
  std::string thread(uint32_t process, uint32_t thread);

 private:
  const RecordedSite& code_site(uint32_t number);
  void read_new();
  void read_entry(const recording::NameEntry& entry, const char* text);

  MappedFile file_;
  SiteInterner& sites_;
  SiteLibraries& libraries_;
  uint64_t read_ = 0;  // bytes of entries
  std::vector<RecordedSite> by_number_ = std::vector<RecordedSite>(1);
  CodeModules modules_;
  tsl::robin_map<uint32_t, std::unique_ptr<RecordedSite>> code_sites_;
  std::map<uint32_t, std::string> labels_;
  std::map<std::pair<uint32_t, uint32_t>, std::string> threads_;
  RecordedSite unknown_;
};

}  // namespace foretrace
