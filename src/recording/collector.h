// Copies what a program records into a recording while the program runs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recording/mapped_file.h"
#include "recording/program.h"
#include "recording/recording_file.h"
#include "recording/session.h"
#include "runtime/layout.h"

namespace foretrace {

// Which chunks of a thread are packed. Where that hardly makes them smaller it is not worth its
// time: the next ones are stored as they are coded, and now and then one is tried.
class PackingChoice {
 public:
  bool is_worth_it() const { return not_worth_it_ == 0; }
  void note_packed(size_t coded, size_t stored) {
    if (stored > coded * 2 / 5) not_worth_it_ = kUntilNextTry;
  }
  void note_unpacked() { --not_worth_it_; }

 private:
  static constexpr uint32_t kUntilNextTry = 15;
  uint32_t not_worth_it_ = 0;  // so many chunks
};

// The recording ends when the program has. What processes that it left behind do
// after that is not in it.
class Collector {
 public:
  // Both must outlive the collector. The first `plain_bytes` of records are written as they
  // are, which takes more space and less time: for a file that is soon gone.
  Collector(Session& session, ByteSink& sink, uint64_t plain_bytes)
      : session_(session), plain_bytes_(plain_bytes), chunks_(sink) {}

  // Until the program has ended and all of it is copied. The sink is not closed.
  // `meanwhile` is called some times a second while the program runs.
  void run(Program& program, const std::function<void()>& meanwhile = [] {});

  // What threads have recorded that is not in the sink, because they may still change
  // it: chunks that belong behind those in the sink. With them it is a recording of the
  // run up to now, or up to the horizons.
  struct Unsettled {
    std::string chunks;
    Horizons horizons;
  };
  Unsettled unsettled();

  uint64_t records() const { return records_; }

 private:
  struct Ring {
    std::optional<MappedFile> file;
    recording::RingHeader* header = nullptr;
    const recording::Record* records = nullptr;
    uint64_t available = 0;  // records, ever
    uint64_t read = 0;
    uint64_t stamp = 0;  // the last one
    PackingChoice packing;
    bool ended = false;
  };
  struct Process {
    uint32_t number;
    MappedFile file;
    std::vector<Ring> rings;       // by thread
    std::vector<uint32_t> active;  // threads that may still write
  };
  struct Names {
    MappedFile file;
    uint64_t read = 0;  // bytes of entries
  };

  // What to copy of the records in the rings.
  enum class Amount {
    much,        // what is settled, of rings that are filling up
    settled,     // what is settled, of all
    everything,  // when the program is over
  };
  // Whether there was anything.
  bool collect(Amount amount);
  void look_for_processes();
  bool add_process(uint32_t number);
  void look_at_rings(Process& process, Amount amount);
  bool open(const Process& process, uint32_t number, Ring& ring);
  void copy_names();
  void copy_records(const Process& process, uint32_t number, Ring& ring);
  // The records behind those that were copied.
  static std::vector<recording::Record> last_records(const Ring& ring);
  void give_back(const Process& process, uint32_t number, Ring& ring);
  void finish();

  Session& session_;
  bool is_plain() const { return records_ * sizeof(recording::Record) < plain_bytes_; }

  const uint64_t plain_bytes_;
  ftr::ChunkWriter chunks_;
  std::vector<Process> processes_;
  std::vector<uint32_t> awaited_;  // numbers of processes that are not ready yet
  uint32_t processes_seen_ = 0;
  uint32_t quiet_looks_ = 0;  // since one of the rings was filling up
  std::map<uint32_t, Names> names_;
  std::string payload_;
  uint64_t records_ = 0;
  uint64_t dropped_ = 0;
};

}  // namespace foretrace
