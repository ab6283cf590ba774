// std::atomic<std::shared_ptr>: one thread replaces what another one uses.
// expect none
#include <atomic>
#include <memory>
#include <thread>

struct Settings {
  int width = 0;
  int height = 0;
};
static std::atomic<std::shared_ptr<Settings>> settings{std::make_shared<Settings>()};

int main() {
  long same = 0;
  std::thread writer([] {
    for (int i = 0; i < 100; ++i) settings.store(std::make_shared<Settings>(Settings{i, i}));
  });
  std::thread reader([&] {
    for (int i = 0; i < 100; ++i) {
      const std::shared_ptr<Settings> now = settings.load();
      same += now->width == now->height ? 1 : 0;
    }
  });
  writer.join();
  reader.join();
  return same == 100 ? 0 : 1;
}
