#include "certify/window.h"

#include <algorithm>

namespace foretrace {

std::vector<uint32_t> Window::begins(const Model& model) const {
  std::vector<uint32_t> begins(model.thread_count());
  if (first == 0) return begins;
  for (ThreadId thread = 0; thread < begins.size(); ++thread) {
    const std::vector<Model::Node>& nodes = model.nodes(thread);
    const auto begin = std::partition_point(
        nodes.begin(), nodes.end(), [&](const Model::Node& node) { return node.index < first; });
    begins[thread] = static_cast<uint32_t>(begin - nodes.begin());
  }
  return begins;
}

}  // namespace foretrace
