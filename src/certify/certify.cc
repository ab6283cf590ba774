#include "certify/certify.h"

#include "certify/search.h"

namespace foretrace {

Certificate certify(const Model& model, const Goal& goal, uint64_t budget) {
  return Search(model, goal, budget).run();
}

}  // namespace foretrace
