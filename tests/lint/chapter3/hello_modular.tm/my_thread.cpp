#include "shared.h"

namespace multi {

void MyThread::start() {
  thread_ = std::thread([this] { runnable_.run(); });
}

}  // namespace multi
