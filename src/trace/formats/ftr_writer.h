// Writes .ftr files.
#pragma once

#include <string>
#include <vector>

#include "trace/format.h"
#include "trace/formats/ftr_chunks.h"

namespace foretrace {

// Names and sites are written before the first events that may use them, so a
// file can be read while it grows.
class FtrWriter : public TraceWriter {
 public:
  FtrWriter(ByteSink& sink, const Symbols& symbols);
  Result<void> write(const EventBatch& batch) override;
  Result<void> finish() override;

 private:
  void start();
  // Writes what symbols() has gained since the last call.
  void write_new_symbols();
  void write_new_names(uint8_t list, const NameTable& table, uint32_t& done);
  void append_events(const EventBatch& batch, std::span<const Event> events);
  void flush_events();

  bool started_ = false;
  uint64_t written_ = 0;  // events
  std::vector<uint32_t> names_done_;
  uint32_t files_done_ = 0;
  uint32_t functions_done_ = 0;
  uint32_t sites_done_ = 1;  // site 0 is implied
  uint32_t impatient_done_ = 0;
  uint32_t sets_done_ = 0;
  uint32_t units_done_ = 0;
  ftr::ChunkWriter chunks_;
  std::string heads_;
  std::vector<uint32_t> column_[3];
  std::string values_;
};

}  // namespace foretrace
