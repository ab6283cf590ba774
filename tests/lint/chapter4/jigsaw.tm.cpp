// Section 4.6.10: W3C's Jigsaw. load_resource_store() looks whether the store is closed,
// and then looks up an entry; it may have been closed, and the map cleared, in between.
#include <cstdio>
#include <map>
#include <stdexcept>
#include <thread>

struct ResourceStore {};

class Entry {
 public:
  ResourceStore* get_store() { return nullptr; }
};

class ResourceStoreManager {
 public:
  ResourceStore* load_resource_store() {
    check_closed();
    Entry* const entry = lookup_entry(1);  // EXPECT: RwR
    return entry->get_store();
  }

  void shutdown() {
    __transaction_relaxed {
      entries_.clear();
      closed_ = true;
    }
  }

 private:
  void check_closed() {
    __transaction_relaxed {
      if (closed_) throw std::runtime_error("closed");
    }
  }

  Entry* lookup_entry(int key) {
    Entry* entry;
    __transaction_relaxed {
      entry = entries_[key];
      if (entry == nullptr) {
        entry = new Entry();
        entries_[key] = entry;
      }
    }
    return entry;
  }

  bool closed_ = false;
  std::map<int, Entry*> entries_;
};

static void run(ResourceStoreManager* manager) {
  try {
    std::printf("%p\n", static_cast<void*>(manager->load_resource_store()));
    manager->shutdown();
  } catch (const std::runtime_error& error) {
    std::printf("%s\n", error.what());
  }
}

int main() {
  ResourceStoreManager manager;
  std::thread a(run, &manager), b(run, &manager), c(run, &manager);
  a.join();
  b.join();
  c.join();
}
