// The names that a program's runtime wrote down: its sites, labels and threads.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "recording/call_stacks.h"
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
  // A place that code was inlined into by different calls is as many sites.
  SiteId intern(SiteId place, const std::vector<CodeFrame>& inlined);

 private:
  Symbols& symbols_;
  Interner files_;
  Interner functions_;
  tsl::robin_map<Site, SiteId, SiteHash> sites_;
  std::map<std::pair<SiteId, std::vector<CodeFrame>>, SiteId> inlined_;
};

// What else is known of the sites of a trace.
struct SiteNotes {
  // The library (path) that its code is in; nothing for the program itself.
  std::map<SiteId, std::string> libraries;
  // The calls that were inlined there, innermost first.
  std::map<SiteId, std::vector<CodeFrame>> inlined;
};

struct RecordedSite {
  SiteId site = kNoSite;
  bool is_system = false;  // in a system header: its caller is to be shown
  std::string what;        // what is accessed there; empty if not known
  uint32_t element = 0;    // the size of the array's element, or 0
};

// The names of one program image.
class RecordedNames {
 public:
  RecordedNames(SiteInterner& sites, SiteNotes& notes) : sites_(sites), notes_(notes) {}

  // Entries as the runtime wrote them (runtime/layout.h). One that is not whole
  // ends them.
  void add(std::string_view entries);

  const RecordedSite& site(uint32_t number) {
    if ((number & recording::kCodeSite) != 0) return code_site(number);
    return number < by_number_.size() ? by_number_[number] : unknown_;
  }
  // The site with this number where the stack with that number led: of a call
  // inside a system header, the place of the program that called it.
  SiteId site_in(uint32_t number, uint32_t stack) {
    const RecordedSite& site = this->site(number);
    return site.is_system && stack != 0 ? outer_site(number, stack) : site.site;
  }
  std::string label(uint32_t number);
  // False: the program has named none. (Where there is no more space for names, it may have
  // some without.)
  bool may_have_labels() const { return !labels_.empty() || bytes_ > recording::kNamesBytes / 2; }
  // The global variable at an address, as far as debug information is read: ""
  // for programs of the compiler plugin, whose sites say it.
  std::string variable(uint64_t address) { return stacks_->modules().variable(address); }
  const std::shared_ptr<CallStacks>& stacks() const { return stacks_; }
  // "" if the program gave the thread no name.
  std::string thread(uint32_t process, uint32_t thread);

 private:
  const RecordedSite& code_site(uint32_t number);
  void note_inlined(RecordedSite& site, std::vector<CodeFrame> inlined);
  SiteId outer_site(uint32_t number, uint32_t stack);
  // The innermost call of a place that is no system header; kNoSite if all are.
  SiteId outer_place(uint32_t place);
  SiteId intern(const CodeFrame& frame) {
    return sites_.intern(frame.file, frame.line, frame.column, frame.function);
  }
  void add_entry(const recording::NameEntry& entry, const char* text);

  SiteInterner& sites_;
  SiteNotes& notes_;
  std::deque<RecordedSite> by_number_ = std::deque<RecordedSite>(1);  // they never move
  std::shared_ptr<CallStacks> stacks_ = std::make_shared<CallStacks>();
  tsl::robin_map<uint32_t, std::unique_ptr<RecordedSite>> code_sites_;
  tsl::robin_map<uint64_t, SiteId, IntegerHash> outer_sites_;  // by number and stack
  tsl::robin_map<uint32_t, SiteId> outer_places_;              // see outer_place()
  uint64_t bytes_ = 0;                                         // of all entries
  std::map<uint32_t, std::string> labels_;
  std::map<std::pair<uint32_t, uint32_t>, std::string> threads_;
  RecordedSite unknown_;
};

}  // namespace foretrace
