// The must-before race predictor, Embracer.
#include <memory>

#include "analyses/analysis.h"
#include "analyses/mb/embracer.h"
#include "analyses/race.h"

namespace foretrace::mb {
namespace {

constexpr AnalysisOption kWindowOption = {
    "mb-window", "N", "1M",
    "Events after which mb stops waiting for what an open critical section brings"};

const AnalysisRegistration registration({
    .name = "mb",
    .summary = "data races of similar schedules that must-before does not order (Embracer)",
    .options = {kAllPairsOption, kMaxPairsOption, kMaxAccessesOption, kWindowOption},
    .ignores_ordered_accesses = true,
    .only_races = true,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      MustBeforeOptions options;
      options.window = context.settings.count(kWindowOption);
      const bool all_pairs = context.settings.flag(kAllPairsOption);
      return std::make_unique<Embracer>(std::move(context), options, all_pairs);
    },
});

}  // namespace
}  // namespace foretrace::mb
