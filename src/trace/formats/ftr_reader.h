// Reads .ftr files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/format.h"
#include "trace/formats/ftr_chunks.h"

namespace foretrace {

// One batch per EVNT chunk. A file that ends inside a chunk, or without an ENDS
// chunk, is read up to the last whole chunk and a note says what was lost; a
// chunk that is whole but damaged is an error.
class FtrReader : public TraceReader {
 public:
  using TraceReader::TraceReader;
  Result<void> read(EventBuffer& buffer) override;

 private:
  Result<void> read_file_header();
  // The next whole chunk: its header, and its raw payload in payload_. False at
  // the end, which may have come too early.
  Result<bool> next_chunk();
  Result<void> unpack(std::string_view stored);
  Result<void> read_names();
  Result<void> read_sites();
  Result<void> read_impatient_sites();
  Result<void> read_declarations();
  Result<void> read_end();
  Result<void> read_events(EventBuffer& buffer);
  void note_cut_off();
  tl::unexpected<Error> damaged(std::string_view what) const;

  bool started_ = false;
  bool ended_ = false;
  uint64_t next_index_ = 0;
  uint64_t chunk_offset_ = 0;  // of the chunk being read
  ftr::ChunkHeader header_;
  std::string_view payload_;
  std::vector<char> unpacked_;
  ftr::ChunkUnpacker unpacker_;
  std::vector<uint32_t> column_[3];  // thread, object, site numbers of a chunk
};

}  // namespace foretrace
