#include "hunting/steer_settings.h"

#include "steering/layout.h"

namespace foretrace {

std::string NoiseSetting::name() const {
  if (heuristic == "none") return "none";
  if (heuristic == "priority") return fmt::format("priority {} us", strength);
  return fmt::format("{} {}/{} {}{}", heuristic, frequency, strength, manner,
                     shared_only ? ", shared only" : "");
}

std::string SteerSettings::text(const std::string& report) const {
  std::string text = fmt::format("{}\n", steering::kSettingsHeader);
  const auto line = [&](std::string_view word, const auto&... values) {
    text += word;
    ((text += fmt::format("\t{}", values)), ...);
    text += '\n';
  };
  if (!report.empty()) line("report", report);
  if (!log.empty()) line("log", log);
  line("seed", seed);
  line("noise", noise.heuristic);
  line("manner", noise.manner);
  line("strength", noise.strength);
  line("frequency", noise.frequency);
  line("hold", hold_ms);
  line("budget", budget_ms);
  if (noise.shared_only) line("shared-only");
  if (learn) line("learn");
  for (const SteerPlace& site : sites) line("site", site.place, site.variable);
  for (const std::string& variable : variables) line("variable", variable);
  for (const SteerPlace& meeting : meetings) line("meet", meeting.place, "any", meeting.variable);
  for (const SteerStep& step : steps) {
    line("step", step.thread,
         fmt::format("{}{}", step.last ? "last-" : "", step.sync ? "sync" : "access"), step.place,
         step.access);
  }
  if (check_sections) line("check-sections");
  if (healing != "none") line("heal", healing);
  if (units) line("units");
  text += sections;
  return text;
}

}  // namespace foretrace
