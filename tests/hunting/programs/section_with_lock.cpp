// A section that takes another lock: whoever is in it may have to wait for one who
// wants to come in. Healing it by a lock without care would be a deadlock.
#include <mutex>
#include <thread>

std::mutex audit;
std::mutex gate;
long balance = 0;
long log_length = 0;

void deposit() {
  const long seen = balance;
  {
    const std::lock_guard guard(audit);
    ++log_length;
  }
  balance = seen + 1;
}

void inspect() {
  const std::lock_guard guard(audit);
  balance = balance + 0;  // wants the section while it has the lock
}

int main() {
  std::thread first([] {
    for (int i = 0; i < 50; ++i) deposit();
  });
  std::thread second([] {
    for (int i = 0; i < 50; ++i) inspect();
  });
  first.join();
  second.join();
  return log_length != 50;
}
