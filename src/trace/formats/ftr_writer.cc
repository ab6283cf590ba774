#include "trace/formats/ftr_writer.h"

#include <algorithm>

namespace foretrace {
namespace {

void append_string(std::string& to, std::string_view text) {
  ftr::append_varint(to, text.size());
  to += text;
}

// A payload is written when it is this long, far below ftr::kMaxChunk.
constexpr size_t kFullPayload = size_t{8} << 20;

uint8_t planes_for(const std::vector<uint32_t>& column) {
  uint32_t bits = 0;
  for (const uint32_t number : column) bits |= number;
  uint8_t planes = 0;
  for (; bits != 0; bits >>= 8) ++planes;
  return planes;
}

void append_planes(std::string& payload, const std::vector<uint32_t>& column, uint8_t planes) {
  for (uint32_t plane = 0; plane < planes; ++plane) {
    const size_t start = payload.size();
    payload.resize(start + column.size());
    // The pointers tell the compiler that the two do not overlap.
    char* __restrict target = payload.data() + start;
    const uint32_t* __restrict source = column.data();
    for (size_t i = 0; i < column.size(); ++i) {
      target[i] = static_cast<char>(source[i] >> (8 * plane));
    }
  }
}

}  // namespace

FtrWriter::FtrWriter(ByteSink& sink, const Symbols& symbols)
    : TraceWriter(sink, symbols), names_done_(kSpaceCount), chunks_(sink) {}

void FtrWriter::start() {
  started_ = true;
  chunks_.write_file_header(ftr::kMajor, ftr::kMinor);
}

void FtrWriter::write_new_names(uint8_t list, const NameTable& table, uint32_t& done) {
  const uint32_t end = table.size();
  while (done < end) {
    std::string names;
    const uint32_t first = done;
    for (; done < end && names.size() < kFullPayload; ++done) append_string(names, table[done]);
    std::string payload;
    ftr::append(payload, list);
    ftr::append(payload, done - first);
    chunks_.write(ftr::kNames, payload + names);
  }
}

void FtrWriter::write_new_symbols() {
  // Another thread may be appending: the sites are bounded first, so that the
  // files and functions they name are among those written before them.
  const uint32_t sites_end = symbols().sites.size();
  for (uint8_t space = 1; space < kSpaceCount; ++space) {
    write_new_names(space, symbols().names(static_cast<Space>(space)), names_done_[space]);
  }
  write_new_names(ftr::kFileNames, symbols().files, files_done_);
  write_new_names(ftr::kFunctionNames, symbols().functions, functions_done_);
  while (sites_done_ < sites_end) {
    std::string sites;
    for (; sites_done_ < sites_end && sites.size() < kFullPayload; ++sites_done_) {
      const Site& site = symbols().sites[sites_done_];
      for (const uint32_t number : {site.file, site.line, site.column, site.function}) {
        ftr::append_varint(sites, number);
      }
    }
    chunks_.write(ftr::kSites, sites);
  }
  std::string impatient;
  for (; impatient_done_ < symbols().impatient_sites.size(); ++impatient_done_) {
    const SiteId site = symbols().impatient_sites[impatient_done_];
    if (site >= sites_done_) break;  // it was added meanwhile
    ftr::append_varint(impatient, site);
  }
  if (!impatient.empty()) chunks_.write(ftr::kImpatientSites, impatient);
  const auto declare = [&](uint8_t kind, std::string_view name,
                           const std::vector<std::string>& members) {
    std::string declaration;
    ftr::append(declaration, kind);
    append_string(declaration, name);
    ftr::append_varint(declaration, members.size());
    for (const std::string& member : members) append_string(declaration, member);
    chunks_.write(ftr::kDeclarations, declaration);
  };
  for (; sets_done_ < symbols().sets.size(); ++sets_done_) {
    declare(0, symbols().sets[sets_done_].name, symbols().sets[sets_done_].locations);
  }
  for (; units_done_ < symbols().units.size(); ++units_done_) {
    declare(1, symbols().units[units_done_].label, symbols().units[units_done_].sets);
  }
}

void FtrWriter::flush_events() {
  if (heads_.empty()) return;
  write_new_symbols();
  std::string payload;
  ftr::append(payload, static_cast<uint32_t>(heads_.size()));
  uint8_t planes[3];
  for (size_t k = 0; k < 3; ++k) {
    planes[k] = planes_for(column_[k]);
    ftr::append(payload, planes[k]);
  }
  payload += heads_;
  for (size_t k = 0; k < 3; ++k) append_planes(payload, column_[k], planes[k]);
  payload += values_;
  chunks_.write(ftr::kEvents, payload);
  written_ += heads_.size();
  heads_.clear();
  for (std::vector<uint32_t>& column : column_) column.clear();
  values_.clear();
}

Result<void> FtrWriter::write(const EventBatch& batch) {
  if (!started_) start();
  for (std::span<const Event> rest = batch.events; !rest.empty();) {
    const size_t most = std::min(rest.size(), kBatchEvents - heads_.size());
    append_events(batch, rest.first(most));
    rest = rest.subspan(most);
    if (heads_.size() == kBatchEvents) flush_events();
  }
  return {};
}

// Makes space for all of them first: most traces are written as fast as this is.
void FtrWriter::append_events(const EventBatch& batch, std::span<const Event> events) {
  size_t used = heads_.size();
  heads_.resize(used + events.size());
  for (std::vector<uint32_t>& column : column_) column.resize(used + events.size());
  for (const Event& event : events) {
    if (event.op() == Op::skip) continue;
    heads_[used] = static_cast<char>(event.op_bits | (event.has_value != 0 ? ftr::kHeadValue : 0U));
    column_[0][used] = event.thread;
    column_[1][used] = event.object;
    column_[2][used] = event.site;
    ++used;
    if (event.has_value == 0) continue;
    ftr::append_varint(values_, ftr::zigzag(*batch.value_of(event)));
  }
  heads_.resize(used);
  for (std::vector<uint32_t>& column : column_) column.resize(used);
}

Result<void> FtrWriter::finish() {
  if (!started_) start();
  flush_events();
  write_new_symbols();
  std::string total;
  ftr::append(total, written_);
  chunks_.write(ftr::kEnd, total);
  return {};
}

}  // namespace foretrace
