// A new object is its maker's until its address is put somewhere; what a function returns by value
// is nobody else's.
#include <cstdlib>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>

struct Job {
  int number = 0;
  int late = 0;
  Job* next = nullptr;
};

static std::mutex m;
static Job* head;
static std::queue<std::unique_ptr<Job>> queue;

static void prepare(Job* job) { job->number = 1; }

static void put(Job* job) {
  std::lock_guard<std::mutex> guard(m);
  job->next = head;
  head = job;
}

static void produce() {
  for (int i = 0; i < 10; i++) {
    Job* job = new Job;
    job->number = i;
    prepare(job);
    put(job);
    job->late = i;  //#late
  }
  auto job = std::make_unique<Job>();
  job->number = 2;
  std::lock_guard<std::mutex> guard(m);
  queue.push(std::move(job));
}

static int consume() {
  Job* job;
  {
    std::lock_guard<std::mutex> guard(m);
    job = head;
    if (job != nullptr) head = job->next;
  }
  return job != nullptr ? job->number + job->late : 0;  // EXPECT: data-race rd with wr #late
}

static int consume_queue() {
  std::lock_guard<std::mutex> guard(m);
  return queue.empty() ? 0 : queue.front()->number;
}

class Settings {
 public:
  std::shared_ptr<const Job> get() const {
    std::lock_guard<std::mutex> guard(mutex_);
    return current_;
  }
  void replace() {
    auto changed = std::make_shared<Job>(*get());
    changed->number++;
    set(changed);  // EXPECT: RwW
  }
  void set(std::shared_ptr<const Job> job) {
    std::lock_guard<std::mutex> guard(mutex_);
    current_ = std::move(job);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Job> current_ = std::make_shared<Job>();
};

int main() {
  Settings settings;
  std::thread a(produce), b(consume), c(consume_queue);
  std::thread d([&] { settings.replace(); }), e([&] {
    settings.replace();
    return settings.get()->number;
  });
  a.join();
  b.join();
  c.join();
  d.join();
  e.join();
}
