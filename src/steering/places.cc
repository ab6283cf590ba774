#include "steering/places.h"

#include "runtime/spin_lock.h"
#include "steering/matching.h"
#include "steering/modules.h"
#include "steering/report.h"

namespace foretrace::steering {

constexpr uint32_t kMostPlaces = 1U << 16;
constexpr uint32_t kMostPlaceRules = 1U << 18;
Place places[kMostPlaces];
const Rule* place_rules[kMostPlaceRules];

namespace {

std::atomic<uint32_t> lock{0};
uint32_t place_count = 2;  // 0 is none, 1 is the place without rules
uint32_t place_rule_count = 0;

// Places in code, by address. Filled only, so it is read without the lock.
struct CodePlace {
  std::atomic<uint64_t> code;
  std::atomic<uint32_t> place;
};
constexpr uint64_t kCodePlaces = 1U << 16;
CodePlace code_places[kCodePlaces];

bool fits_site(const Rule& rule, const Site& site) {
  if (rule.module != nullptr) return false;
  const bool names_known = is_known(rule.variable) && is_known(site.what);
  const bool same_name = names_known && same_variable(rule.variable, site.what);
  if (rule.file == nullptr) return same_name;
  if (rule.line != site.line || !same_file(rule.file, site.file)) return false;
  if (names_known && !same_name) return false;
  // Optimisers move columns; a name that is the same makes up for it.
  return rule.column == site.column || rule.column == 0 || site.column == 0 || same_name;
}

bool fits_code(const Rule& rule, const CodePoint& point) {
  return rule.module != nullptr && rule.offset == point.offset &&
         same_file(rule.module, point.path);
}

template <typename Fits>
uint32_t make_place(const Fits& fits_rule) {
  Place place = {0, place_rule_count, 0};
  for (uint32_t i = 0; i < settings().rule_count; ++i) {
    const Rule& rule = settings().rules[i];
    if (!fits_rule(rule)) continue;
    if (place_rule_count == kMostPlaceRules) break;
    place_rules[place_rule_count++] = &rule;
    place.purposes |= bit(rule.purpose);
    ++place.count;
  }
  if (place.count == 0) return 1;
  if (place_count == kMostPlaces) {
    if (ReportHeader* const report = report_header()) ++report->lost;
    return 1;
  }
  places[place_count] = place;
  return place_count++;
}

const Place& find_site(const Site& site) {
  auto* const number = const_cast<uint32_t*>(&site.number);
  const runtime::SpinGuard guard(lock);
  uint32_t known = __atomic_load_n(number, __ATOMIC_ACQUIRE);
  if (known == 0) {
    known = make_place([&](const Rule& rule) { return fits_site(rule, site); });
    __atomic_store_n(number, known, __ATOMIC_RELEASE);
  }
  return places[known];
}

const Place& find_code(uint64_t code) {
  uint64_t at = code * 0x9E3779B97F4A7C15U >> 48;
  for (uint64_t tries = 0; tries < 64; ++tries, at = (at + 1) & (kCodePlaces - 1)) {
    const uint64_t there = code_places[at].code.load(std::memory_order_acquire);
    if (there == code) return places[code_places[at].place.load(std::memory_order_relaxed)];
    if (there != 0) continue;
    const runtime::SpinGuard guard(lock);
    if (code_places[at].code.load(std::memory_order_relaxed) != 0) continue;
    const CodePoint point = point_of(code);
    const uint32_t made = make_place([&](const Rule& rule) { return fits_code(rule, point); });
    code_places[at].place.store(made, std::memory_order_relaxed);
    code_places[at].code.store(code, std::memory_order_release);
    return places[made];
  }
  return places[1];  // the table is full there
}

}  // namespace

const Place& find_place(SiteRef site) {
  if (!site.is_known()) return places[1];
  return site.is_code() ? find_code(site.code()) : find_site(*site.site());
}

}  // namespace foretrace::steering
