// A value that is checked again in the second block is not stale.
#include <map>
#include <mutex>
#include <thread>

static std::mutex m;
static std::map<int, int> cache;
static int version, content;

static int compute(int key) { return key * key; }

static int cached(int key) {
  {
    std::lock_guard<std::mutex> lock(m);
    auto found = cache.find(key);
    if (found != cache.end()) return found->second;
  }
  const int value = compute(key);  // long
  std::lock_guard<std::mutex> lock(m);
  if (cache.find(key) == cache.end()) cache[key] = value;
  return value;
}

static void update() {
  int old;
  {
    std::lock_guard<std::mutex> lock(m);
    old = version;
  }
  const int next = compute(old);
  std::lock_guard<std::mutex> lock(m);
  if (version != old) return;
  version = next;
}

static void update_badly() {
  int old;
  {
    std::lock_guard<std::mutex> lock(m);
    old = content;
  }
  const int next = compute(old);
  std::lock_guard<std::mutex> lock(m);
  if (next != old) content = next;  // EXPECT: RwW
}

static void run() {
  cached(1);
  update();
  update_badly();
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
