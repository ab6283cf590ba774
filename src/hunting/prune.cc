#include "hunting/prune.h"

#include <set>

#include "base/interrupt.h"
#include "base/text.h"
#include "hunting/oracle.h"
#include "hunting/section_places.h"

namespace foretrace {
namespace {

using EndKey = std::tuple<std::string, std::string, std::string, std::string>;

EndKey key_of(const RawSection& section) {
  return {section.variable, section.entry_access, section.entry, section.end};
}
EndKey key_of(const AtomicSection& section, const SectionEndPoint& end) {
  return {section.variable, section.entry.access, section.entry.site, end.site};
}

void drop_never_reported(std::vector<AtomicSection>& sections) {
  for (AtomicSection& section : sections) {
    // An end is still where the section is left: as an exit nothing is checked there.
    for (const SectionEndPoint& end : section.ends) {
      if (end.is_never_reported()) section.exits.push_back({"", end.site, end.function});
    }
    std::erase_if(section.ends, [](const SectionEndPoint& end) { return end.is_never_reported(); });
  }
  std::erase_if(sections, [](const AtomicSection& section) { return section.ends.empty(); });
}

// Different noise in each run, so that different schedules come about.
NoiseSetting noise_of(uint64_t run) {
  static const std::vector<NoiseSetting> kNoises = {{},
                                                    {"random", "sleep", 500, 100, true},
                                                    {"random", "yield", 50, 300, true},
                                                    {"random", "sleep", 1000, 50, false},
                                                    {"priority", "sleep", 300, 1000, false}};
  return kNoises[run % kNoises.size()];
}

}  // namespace

Result<PruneResult> prune_sections(std::vector<AtomicSection> sections, const PruneOptions& options,
                                   const std::function<void(const std::string&)>& say) {
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  PruneResult result;
  SectionPlaces places;
  PlaceResolver resolver;
  std::set<EndKey> seen;
  uint64_t quiet = 0;
  while (result.runs < options.most_runs && quiet < options.quiet_runs && !interrupted()) {
    SteerSettings settings;
    settings.seed = options.seed + result.runs;
    settings.noise = noise_of(result.runs);
    settings.sections = places.text(sections);
    settings.check_sections = true;
    settings.learn = true;
    const Result<SteeredRun> run = run_steered(options.program, settings, **folder, "run");
    if (!run) return tl::unexpected(run.error());
    const Result<bool> good = is_good_run(*run, options.oracle);
    if (!good) return tl::unexpected(good.error());
    ++result.runs;
    places.learn(run->report, resolver);
    std::set<EndKey> violated;
    for (const RawEntry& entry : run->report.entries) {
      if (entry.kind == RawEntry::Kind::seen) seen.insert(key_of(entry.section));
      if (entry.kind == RawEntry::Kind::violation) violated.insert(key_of(entry.section));
    }
    if (!*good) continue;
    ++result.good_runs;
    bool changed = false;
    for (AtomicSection& section : sections) {
      for (SectionEndPoint& end : section.ends) {
        if (end.is_never_reported() || !violated.contains(key_of(section, end))) continue;
        end.allows_reads = end.allows_writes = changed = true;
        ++result.violated;
        say(fmt::format("run {}: {} of {} from {} to {} was violated in a good run",
                        result.runs - 1, section.kind, section.variable, section.entry.site,
                        end.site));
      }
    }
    quiet = changed ? 0 : quiet + 1;
  }
  result.settled = quiet >= options.quiet_runs;
  for (AtomicSection& section : sections) {
    for (SectionEndPoint& end : section.ends) {
      if (end.is_never_reported() || seen.contains(key_of(section, end))) continue;
      end.allows_reads = end.allows_writes = true;
      ++result.unseen;
    }
  }
  drop_never_reported(sections);
  result.sections = std::move(sections);
  return result;
}

}  // namespace foretrace
