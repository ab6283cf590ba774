// Section 4.6.4: NASA's remote agent. A task sets a value and then, in another block,
// says that it has achieved it. The daemon looks at both: in between it sees a value
// that does not fit and nothing achieved, and misses that the property was lost.
#include <mutex>
#include <stdexcept>
#include <thread>

struct Cell {
  void* value = nullptr;
  bool achieved = false;
};

static std::mutex table_mutex;

class Task {
 public:
  explicit Task(Cell* table) : table_(table) {}

  void run() {
    const int n = 42;
    void* const v = this;
    {
      std::lock_guard lock(table_mutex);
      table_[n].value = v;
    }
    /* achieve property */
    {
      std::lock_guard lock(table_mutex);
      table_[n].achieved = true;  // EXPECT: WrW
    }
  }

 private:
  Cell* table_;
};

class Daemon {
 public:
  Daemon(Cell* table, void** system_state) : table_(table), system_state_(system_state) {}

  void run() {
    const int n = 42;
    while (true) {
      {
        std::lock_guard lock(table_mutex);
        if (table_[n].achieved && system_state_[n] != table_[n].value) issue_warning();
      }
    }
  }

 private:
  void issue_warning() { throw std::runtime_error("PANIC!!!"); }

  Cell* table_;
  void** system_state_;
};

int main() {
  Cell* const table = new Cell[100];
  void** const system_state = new void*[100]();
  Daemon daemon(table, system_state);
  Task first(table), second(table), third(table);
  std::thread watcher(&Daemon::run, &daemon);
  std::thread a(&Task::run, &first);
  std::thread b(&Task::run, &second);
  std::thread c(&Task::run, &third);
  a.join();
  b.join();
  c.join();
  watcher.join();
}
