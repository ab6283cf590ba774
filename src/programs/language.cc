#include "programs/language.h"

#include <algorithm>

namespace foretrace::programs {
namespace {

std::vector<Language>& registry() {
  static std::vector<Language> languages;
  return languages;
}

}  // namespace

LanguageRegistration::LanguageRegistration(const Language& language) {
  std::vector<Language>& all = registry();
  all.insert(std::find_if(all.begin(), all.end(),
                          [&](const Language& l) { return l.name > language.name; }),
             language);
}

const std::vector<Language>& languages() { return registry(); }

}  // namespace foretrace::programs
