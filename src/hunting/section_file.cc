#include "hunting/section_file.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/input.h"
#include "base/text.h"

namespace foretrace {
namespace {

constexpr std::string_view kHeader = "foretrace/sections/1";
using Fields = std::vector<std::string_view>;

std::string field(const Fields& fields, size_t i) {
  return i < fields.size() ? std::string(fields[i]) : "-";
}

bool is_site(const std::string& site) {
  const size_t last = site.rfind(':');
  const size_t first =
      last != std::string::npos && last > 0 ? site.rfind(':', last - 1) : std::string::npos;
  return first != std::string::npos && first > 0 &&
         parse_integer(site.substr(first + 1, last - first - 1)).value_or(0) > 0 &&
         parse_integer(site.substr(last + 1)).value_or(-1) >= 0;
}

// "@module+offset"
bool is_code(std::string_view name) {
  const size_t plus = name.rfind('+');
  return name.starts_with('@') && plus != std::string_view::npos && plus > 1 &&
         plus + 1 < name.size() &&
         name.find_first_not_of("0123456789abcdef", plus + 1) == std::string_view::npos;
}

bool parse_place(const std::string& text, SectionPoint& point) {
  const size_t bar = std::min(text.find('|'), text.size());
  point.site = text.substr(0, bar);
  point.code = text.substr(bar);
  if (!is_site(point.site)) return false;
  if (point.code.empty()) return true;
  const Fields names = split(std::string_view(point.code).substr(1), '|');
  return std::all_of(names.begin(), names.end(), is_code);
}

bool parse_allowed(const std::string& text, SectionEndPoint& end) {
  end.allows_reads = text == "read" || text == "read,write";
  end.allows_writes = text == "write" || text == "read,write";
  return text == "none" || end.allows_reads || end.allows_writes;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Result<std::vector<AtomicSection>> read(const std::string& content) {
    for (const std::string_view line : split(content, '\n')) {
      ++line_;
      if (line_ == 1) {
        if (line != kHeader) return bad("the first line is not {}", kHeader);
        continue;
      }
      if (line.empty() || line[0] == '#') continue;
      if (Result<void> done = take(split(line, '\t')); !done) return tl::unexpected(done.error());
    }
    if (Result<void> done = close(); !done) return tl::unexpected(done.error());
    return std::move(sections_);
  }

 private:
  template <typename... Args>
  tl::unexpected<Error> bad(fmt::format_string<Args...> format, Args&&... args) const {
    return fail("{}:{}: {}", path_, line_, fmt::format(format, std::forward<Args>(args)...));
  }

  Result<void> close() {
    if (sections_.empty()) return {};
    if (sections_.back().entry.site.empty()) return bad("the section before has no entry");
    if (sections_.back().ends.empty()) return bad("the section before has no end");
    return {};
  }

  Result<void> take(const Fields& fields) {
    const std::string word(fields[0]);
    if (word == "section") {
      if (Result<void> done = close(); !done) return done;
      sections_.push_back(
          {field(fields, 1), field(fields, 2), field(fields, 3) == "synchronises", {}, {}, {}, {}});
      return {};
    }
    if (word != "entry" && word != "end" && word != "exit" && word != "other") {
      return bad("'{}' is not section, entry, end, exit or other", printable(word));
    }
    if (sections_.empty()) return bad("{} comes before any section", word);
    return take_point(word, fields);
  }

  Result<void> take_point(const std::string& word, const Fields& fields) {
    AtomicSection& section = sections_.back();
    SectionEndPoint point;
    const size_t site = word == "exit" ? 1 : 2;
    if (word != "exit") point.access = field(fields, 1);
    const bool is_place = parse_place(field(fields, site), point);
    point.function = field(fields, site + 1);
    if (word != "exit" && point.access != "read" && point.access != "write") {
      return bad("'{}' is not read or write", printable(point.access));
    }
    if (!is_place) return bad("'{}' is not file:line:column", printable(field(fields, site)));
    if (word == "exit" || word == "other") {
      (word == "exit" ? section.exits : section.others).push_back(point);
    } else if (word == "entry") {
      if (!section.entry.site.empty()) return bad("a section has one entry, this is the second");
      section.entry = point;
    } else {
      if (section.entry.site.empty()) return bad("the entry comes before the ends");
      if (!parse_allowed(field(fields, 4), point)) {
        return bad("what is allowed is none, read, write or read,write, not '{}'",
                   printable(field(fields, 4)));
      }
      section.ends.push_back(point);
    }
    return {};
  }

  const std::string& path_;
  uint64_t line_ = 0;
  std::vector<AtomicSection> sections_;
};

std::string allowed_text(const SectionEndPoint& end) {
  if (end.allows_reads) return end.allows_writes ? "read,write" : "read";
  return end.allows_writes ? "write" : "none";
}

// Exits have no access.
std::string line_of(std::string_view word, const SectionPoint& point,
                    const std::string& more = "") {
  return fmt::format("{}{}{}\t{}{}\t{}{}\n", word, point.access.empty() ? "" : "\t", point.access,
                     point.site, point.code, point.function, more);
}

// ---- from findings

std::optional<AtomicSection> violated_section(const Finding& finding) {
  const auto found = finding.detail.find("section");
  if (found == finding.detail.end() || !found->is_object()) return std::nullopt;
  AtomicSection section;
  section.kind = found->value("kind", "user");
  section.variable = found->value("variable", "-");
  section.entry = {found->value("entry_access", "read"), found->value("entry", ""), "-"};
  SectionEndPoint end;
  end.access = found->value("end_access", "write");
  end.site = found->value("end", "");
  end.function = "-";
  end.allows_reads = true;
  section.ends.push_back(end);
  if (!is_site(section.entry.site) || !is_site(end.site)) return std::nullopt;
  return section;
}

int64_t number_of_line(const std::string& site) {
  const Fields parts = split(site, ':');
  return parts.size() >= 3 ? parse_integer(parts[parts.size() - 2]).value_or(0) : 0;
}

// The accesses of one variable that findings name in one function.
struct Accesses {
  std::string variable;
  std::string function;
  std::set<std::pair<int64_t, std::string>> reads;  // line, site
  std::set<std::pair<int64_t, std::string>> writes;
};

AtomicSection section_of(const Accesses& accesses) {
  AtomicSection section;
  const bool loads_and_stores = !accesses.reads.empty() && !accesses.writes.empty() &&
                                accesses.reads.begin()->first <= accesses.writes.rbegin()->first;
  section.kind = loads_and_stores ? "load-and-store" : "access";
  section.variable = accesses.variable;
  const bool enters_by_read = loads_and_stores || accesses.writes.empty();
  const auto& first = enters_by_read ? *accesses.reads.begin() : *accesses.writes.begin();
  const auto& last = accesses.writes.empty() ? *accesses.reads.rbegin() : *accesses.writes.rbegin();
  section.entry = {enters_by_read ? "read" : "write", first.second, accesses.function};
  SectionEndPoint end;
  end.access = accesses.writes.empty() ? "read" : "write";
  end.site = last.second;
  end.function = accesses.function;
  end.allows_reads = true;
  section.ends.push_back(end);
  return section;
}

}  // namespace

std::string site_with_column(const std::string& site) { return is_site(site) ? site : site + ":0"; }

std::string section_variable(const std::string& variable) {
  if (variable.starts_with("memory") || variable.starts_with("byte ")) return "-";
  return variable.substr(0, variable.find(" of the object"));
}

Result<std::vector<AtomicSection>> read_sections(const std::string& path) {
  const Result<std::string> content = read_input(path);
  if (!content) return tl::unexpected(content.error());
  return Reader(path).read(*content);
}

std::string sections_text(const std::vector<AtomicSection>& sections) {
  std::string text = fmt::format("{}\n", kHeader);
  for (const AtomicSection& section : sections) {
    text += fmt::format("\nsection\t{}\t{}{}\n", section.kind, section.variable,
                        section.synchronises ? "\tsynchronises" : "");
    text += line_of("entry", section.entry);
    for (const SectionEndPoint& end : section.ends) {
      text += line_of("end", end, "\t" + allowed_text(end));
    }
    for (const SectionPoint& exit : section.exits) text += line_of("exit", exit);
    for (const SectionPoint& other : section.others) text += line_of("other", other);
  }
  return text;
}

std::vector<AtomicSection> sections_of(const std::vector<Finding>& findings) {
  std::vector<AtomicSection> sections;
  std::map<std::pair<std::string, std::string>, Accesses> by_function;
  for (const Finding& finding : findings) {
    if (std::optional<AtomicSection> violated = violated_section(finding)) {
      sections.push_back(std::move(*violated));
      continue;
    }
    if (finding.kind != "data-race") continue;
    for (const FindingEvent& event : finding.events) {
      const std::string site = site_with_column(event.site);
      if (!is_site(site)) continue;
      const std::string variable = section_variable(event.object);
      Accesses& accesses = by_function[{variable, event.function}];
      accesses.variable = variable;
      accesses.function = event.function.empty() ? "-" : event.function;
      (event.op == Op::wr ? accesses.writes : accesses.reads).emplace(number_of_line(site), site);
    }
  }
  for (const auto& [key, accesses] : by_function) sections.push_back(section_of(accesses));
  return sections;
}

}  // namespace foretrace
