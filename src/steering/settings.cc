#include "steering/settings.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "steering/matching.h"

namespace foretrace::steering {
namespace {

Settings read;

// A list that grows; it lives as long as the process.
template <typename T>
struct List {
  T* items = nullptr;
  uint32_t count = 0;
  uint32_t space = 0;
  T& add() {
    if (count == space) {
      space = space == 0 ? 64 : space * 2;
      void* const more = ::mmap(nullptr, space * sizeof(T), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (more == MAP_FAILED) std::abort();
      if (items != nullptr) std::memcpy(more, items, count * sizeof(T));
      items = static_cast<T*>(more);
    }
    return items[count++];
  }
};
List<Rule> rules;
List<Step> steps;
List<SectionEntry> sections;
List<SectionEnd> ends;

// The fields of a line, which are cut apart in place.
struct Fields {
  static constexpr int kMost = 8;
  char* at[kMost] = {};
  int count = 0;
  const char* operator[](int i) const { return i < count ? at[i] : ""; }
};

Fields split(char* line) {
  Fields fields;
  while (line != nullptr && fields.count < Fields::kMost) {
    fields.at[fields.count++] = line;
    line = std::strchr(line, '\t');
    if (line != nullptr) *line++ = '\0';
  }
  return fields;
}

bool is(const char* word, const char* expected) { return std::strcmp(word, expected) == 0; }

uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

bool is_number(const char* text) {
  return text[0] != '\0' && std::strspn(text, "0123456789") == std::strlen(text);
}

// The number behind the last colon, which is cut off with it; false if there is none.
bool take_number(char* text, uint32_t& value) {
  char* const colon = std::strrchr(text, ':');
  if (colon == nullptr || !is_number(colon + 1)) return false;
  *colon = '\0';
  value = static_cast<uint32_t>(number(colon + 1));
  return true;
}

// "file:line:column", "file:line", or a file: compilers have no line for what they
// moved out of a loop, or say 0.
void parse_place(const char* text, Rule& rule) {
  char* const file = ::strdup(text);
  uint32_t last = 0;
  uint32_t before = 0;
  const bool has_line = take_number(file, last);
  const bool has_column = has_line && take_number(file, before);
  rule.file = file;
  rule.line = has_column ? before : last;
  rule.column = has_column ? last : 0;
}

// "@module+offset" is a place in code; else "file:line:column".
bool add_rule(Purpose purpose, AccessKind access, const char* place, const char* variable,
              uint32_t number_of_it) {
  Rule rule = {purpose, access, nullptr, 0, 0, nullptr, 0, nullptr, number_of_it};
  if (place[0] == '@') {
    const char* const plus = std::strrchr(place, '+');
    if (plus == nullptr) return false;
    rule.module = ::strndup(place + 1, static_cast<size_t>(plus - place - 1));
    rule.offset = std::strtoull(plus + 1, nullptr, 16);
  } else if (place[0] != '\0') {
    parse_place(place, rule);
  }
  if (variable[0] != '\0' && !is(variable, "-")) rule.variable = ::strdup(variable);
  rules.add() = rule;
  return true;
}

// A place may have several names: "@program+1f3a|@program+2b40".
bool add_rules(Purpose purpose, AccessKind access, const char* places, const char* variable,
               uint32_t number_of_it) {
  char* place = ::strdup(places);
  while (place != nullptr) {
    char* const next = std::strchr(place, '|');
    if (next != nullptr) *next = '\0';
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a process that is steered wrongly ends.
    if (!add_rule(purpose, access, place, variable, number_of_it)) return false;
    place = next != nullptr ? next + 1 : nullptr;
  }
  return true;
}

// Reports have the first name of a place.
const char* first_name(const char* places) { return ::strndup(places, std::strcspn(places, "|")); }

AccessKind access_named(const char* word) {
  if (is(word, "read")) return AccessKind::read;
  return is(word, "write") ? AccessKind::write : AccessKind::any;
}

template <typename T>
bool choose(const char* word, T& target, const char* const* names, int count) {
  for (int i = 0; i < count; ++i) {
    if (!is(word, names[i])) continue;
    target = static_cast<T>(i);
    return true;
  }
  return false;
}

uint8_t allowed_named(const char* words) {
  return static_cast<uint8_t>((std::strstr(words, "read") != nullptr ? kAllowRead : 0) |
                              (std::strstr(words, "write") != nullptr ? kAllowWrite : 0));
}

int32_t thread_named(const char* word) {
  if (is(word, "main")) return 0;
  return word[0] == 'T' ? static_cast<int32_t>(number(word + 1)) : -1;
}

bool add_step(const Fields& fields) {
  // access, last-access, sync, last-sync
  const Step step = {thread_named(fields[1]), std::strncmp(fields[2], "last-", 5) == 0,
                     std::strstr(fields[2], "sync") != nullptr};
  steps.add() = step;
  return add_rules(Purpose::step, access_named(fields[4]), fields[3], "", steps.count - 1);
}

// ---- sections, as in docs/formats/sections.md; places may be "@module+offset"

uint32_t current_section = 0;
const char* current_function = "-";  // of its entry
AccessKind current_access = AccessKind::any;

// Sections with one entry and one variable are one, with the ends of all.
bool add_entry(const Fields& fields) {
  current_section = sections.count - 1;
  current_function = ::strdup(fields[3]);
  current_access = access_named(fields[1]);
  SectionEntry& section = sections.items[current_section];
  section.place = first_name(fields[2]);
  section.access = current_access;
  for (uint32_t i = 0; i + 1 < sections.count; ++i) {
    if (is(sections.items[i].place, section.place) && sections.items[i].access == current_access &&
        is(sections.items[i].variable, section.variable)) {
      sections.items[i].synchronises |= section.synchronises;
      current_section = i;
      return true;
    }
  }
  return add_rules(Purpose::entry, current_access, fields[2], section.variable, current_section);
}

bool add_end(const Fields& fields) {
  SectionEntry& section = sections.items[current_section];
  SectionEnd& end = ends.add();
  end = {current_section, allowed_named(fields[4]), access_named(fields[1]), first_name(fields[2])};
  section.allowed &= end.allowed;
  if (!is(current_function, "-") && !is(fields[3], "-") && !is(current_function, fields[3])) {
    section.ends_elsewhere = true;
  }
  return add_rules(Purpose::end, access_named(fields[1]), fields[2], section.variable,
                   ends.count - 1);
}

// False: this is no line of a section.
bool parse_section_line(const Fields& fields, bool& good) {
  if (is(fields[0], "section")) {
    sections.add() = {::strdup(fields[1]),     ::strdup(fields[2]),           "",
                      AccessKind::any,         is(fields[3], "synchronises"), false,
                      kAllowRead | kAllowWrite};
    // Others that access the variable are to be seen as well.
    if (fields[2][0] != '\0' && !is(fields[2], "-")) {
      good = add_rule(Purpose::variable, AccessKind::any, "", fields[2], sections.count - 1);
    }
    return true;
  }
  if (sections.count == 0) return false;
  if (is(fields[0], "entry")) {
    good = add_entry(fields);
  } else if (is(fields[0], "end")) {
    good = add_end(fields);
  } else if (is(fields[0], "exit")) {
    good = add_rules(Purpose::exit, AccessKind::any, fields[1], "", current_section);
  } else if (is(fields[0], "other")) {
    good = add_rules(Purpose::variable, access_named(fields[1]), fields[2],
                     sections.items[current_section].variable, current_section);
  } else {
    return false;
  }
  return true;
}

// ---- the other lines

constexpr const char* kNoises[] = {"none",     "random",   "variable",
                                   "location", "directed", "priority"};
constexpr const char* kManners[] = {"sleep", "yield", "spin"};
constexpr const char* kHealings[] = {"none", "yield", "priority", "lock"};

bool parse(char* text);

bool parse_file(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    if (fd >= 0) ::close(fd);
    std::fprintf(stderr, "foretrace: cannot read %s\n", path);
    return false;
  }
  // Kept for as long as the process: rules point into it.
  auto* const text = static_cast<char*>(std::malloc(static_cast<size_t>(status.st_size) + 1));
  size_t filled = 0;
  while (text != nullptr && filled < static_cast<size_t>(status.st_size)) {
    const ssize_t got = ::read(fd, text + filled, static_cast<size_t>(status.st_size) - filled);
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  ::close(fd);
  if (text == nullptr) return false;
  text[filled] = '\0';
  return parse(text);  // NOLINT(clang-analyzer-unix.Malloc)
}

bool parse_line(const Fields& fields) {
  const char* const word = fields[0];
  const char* const value = fields[1];
  bool good = true;
  if (is(word, "seed")) {
    read.seed = number(value);
  } else if (is(word, "noise")) {
    return choose(value, read.noise, kNoises, 6);
  } else if (is(word, "manner")) {
    return choose(value, read.manner, kManners, 3);
  } else if (is(word, "heal")) {
    return choose(value, read.healing, kHealings, 4);
  } else if (is(word, "strength")) {
    read.strength = number(value) * 1'000;
  } else if (is(word, "frequency")) {
    read.frequency = static_cast<uint32_t>(number(value));
  } else if (is(word, "hold")) {
    read.hold = number(value) * 1'000'000;
  } else if (is(word, "budget")) {
    read.budget = number(value) * 1'000'000;
  } else if (is(word, "shared-only")) {
    read.shared_only = true;
  } else if (is(word, "learn")) {
    read.learn = true;
  } else if (is(word, "check-sections")) {
    read.check_sections = true;
  } else if (is(word, "units")) {
    read.units = true;
  } else if (is(word, "reckless")) {
    read.reckless = true;
  } else if (is(word, "report")) {
    read.report = ::strdup(value);
  } else if (is(word, "log")) {
    read.log = ::strdup(value);
  } else if (is(word, "sections")) {
    return parse_file(value);
  } else if (is(word, "site")) {
    return add_rule(Purpose::noise, AccessKind::any, value, fields[2], 0);
  } else if (is(word, "variable")) {
    return add_rule(Purpose::noise, AccessKind::any, "", value, 0);
  } else if (is(word, "meet")) {
    return add_rule(Purpose::meet, access_named(fields[2]), value, fields[3], 0);
  } else if (is(word, "step")) {
    return add_step(fields);
  } else if (!parse_section_line(fields, good)) {
    return false;
  }
  return good;
}

bool parse(char* text) {
  bool good = true;
  while (text != nullptr && *text != '\0') {
    char* const end = std::strchr(text, '\n');
    if (end != nullptr) *end = '\0';
    if (text[0] != '\0' && text[0] != '#' && std::strncmp(text, "foretrace/", 10) != 0) {
      const Fields fields = split(text);
      if (!parse_line(fields)) {
        std::fprintf(stderr, "foretrace: the settings have a line that is not understood: %s\n",
                     fields[0]);
        good = false;
      }
    }
    text = end != nullptr ? end + 1 : nullptr;
  }
  return good;
}

}  // namespace

const Settings& settings() { return read; }

bool read_settings() {
  const char* const path = std::getenv(kSettingsVariable);
  const char* const sections_path = std::getenv(kHealVariable);
  read.strength = 1'000'000;
  read.hold = 100'000'000;
  read.budget = 1'000'000'000;
  if (path != nullptr && path[0] != '\0') {
    if (!parse_file(path)) return false;
  } else if (sections_path != nullptr && sections_path[0] != '\0') {
    const char* const by = std::getenv(kHealByVariable);
    read.healing = Healing::lock;
    if (by != nullptr && !choose(by, read.healing, kHealings, 4)) {
      std::fprintf(stderr, "foretrace: %s is yield, priority or lock, not %s\n", kHealByVariable,
                   by);
      return false;
    }
    read.log = std::getenv(kHealLogVariable);
    if (!parse_file(sections_path)) return false;
  } else {
    return false;
  }
  read.rules = rules.items;
  read.rule_count = rules.count;
  read.steps = steps.items;
  read.step_count = steps.count;
  read.sections = sections.items;
  read.section_count = sections.count;
  read.ends = ends.items;
  read.end_count = ends.count;
  return true;
}

}  // namespace foretrace::steering
