#include "hunting/unit_sections.h"

#include <algorithm>

#include "base/interrupt.h"

namespace foretrace {
namespace {

SectionPoint point_of(const FindingEvent& event) {
  return {event.op == Op::wr ? "write" : "read", site_with_column(event.site),
          event.function.empty() ? "-" : event.function};
}

// Paper 003, Table 1: two writes are broken by a read between them, all other pairs
// by a write.
SectionEndPoint end_of(const SectionPoint& entry, const SectionPoint& point) {
  SectionEndPoint end;
  static_cast<SectionPoint&>(end) = point;
  end.allows_writes = entry.access == "write" && point.access == "write";
  end.allows_reads = !end.allows_writes;
  return end;
}

void add(std::vector<AtomicSection>& sections, const RawEntry& pair, PlaceResolver& resolver) {
  const FindingEvent first = resolver.event(pair.accesses[0]);
  const FindingEvent second = resolver.event(pair.accesses[1]);
  if (first.site.empty() || second.site.empty()) return;
  const SectionPoint entry = point_of(first);
  const SectionEndPoint end = end_of(entry, point_of(second));
  const std::string variable = section_variable(first.object);
  const std::string kind = "unit " + pair.unit;
  auto section = std::find_if(sections.begin(), sections.end(), [&](const AtomicSection& known) {
    return known.kind == kind && known.variable == variable && known.entry == entry;
  });
  if (section == sections.end()) {
    sections.push_back({kind, variable, false, entry, {}, {}, {}});
    section = sections.end() - 1;
  }
  const bool is_known =
      std::any_of(section->ends.begin(), section->ends.end(), [&](const SectionEndPoint& known) {
        return static_cast<const SectionPoint&>(known) == static_cast<const SectionPoint&>(end);
      });
  if (!is_known) section->ends.push_back(end);
}

}  // namespace

Result<std::vector<AtomicSection>> sections_of_units(const UnitOptions& options) {
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  std::vector<AtomicSection> sections;
  PlaceResolver resolver;
  for (uint64_t i = 0; i < options.runs && !interrupted(); ++i) {
    SteerSettings settings;
    settings.seed = options.seed + i;
    if (i > 0) settings.noise = {"random", "sleep", 500, 50, false};
    settings.units = true;
    const Result<SteeredRun> run = run_steered(options.program, settings, **folder, "run");
    if (!run) return tl::unexpected(run.error());
    for (const RawEntry& entry : run->report.entries) {
      if (entry.kind == RawEntry::Kind::pair && entry.accesses.size() == 2) {
        add(sections, entry, resolver);
      }
    }
  }
  return sections;
}

}  // namespace foretrace
