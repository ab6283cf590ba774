// Of a class whose code is not there, const methods read and the others write.
#include <mutex>
#include <thread>

class Device {
 public:
  Device();
  int status() const;
  void send(int what);
};

static std::mutex m;
static Device device, other;

static int ask() {
  std::lock_guard<std::mutex> lock(m);
  return device.status();
}
static void tell(int what) {
  std::lock_guard<std::mutex> lock(m);
  device.send(what);
}
static int ask_other() {
  std::lock_guard<std::mutex> lock(m);
  return other.status();
}

static void bad() {
  const int status = ask();
  tell(status);  // EXPECT: RwW
}

static void good() {
  // Nobody changes the other one.
  const int status = ask_other();
  if (status != 0) ask_other();
}

int main() {
  std::thread a(bad), b(bad), c(good), d(good);
  a.join();
  b.join();
  c.join();
  d.join();
}
