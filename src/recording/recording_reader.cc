#include "recording/recording_reader.h"

#include <algorithm>

#include "base/text.h"
#include "recording/memory_survey.h"
#include "trace/formats/ftr_layout.h"

namespace foretrace {

Result<std::unique_ptr<RecordingReader>> RecordingReader::open(
    std::shared_ptr<const RecordingFile> file) {
  Result<std::unique_ptr<ByteSource>> nothing = memory_input(file->name(), "");
  if (!nothing) return tl::unexpected(nothing.error());
  auto reader = std::make_unique<RecordingReader>(ByteReader(std::move(*nothing)));
  reader->file_ = std::move(file);
  return reader;
}

Result<void> RecordingReader::load() {
  Result<std::unique_ptr<Spool>> spool = Spool::create();
  if (!spool) return tl::unexpected(spool.error());
  for (;;) {
    (*spool)->write(input().window());
    input().consume(input().window().size());
    const Result<bool> more = input().fill();
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
  }
  if (Result<void> done = (*spool)->close(); !done) return done;
  Result<MappedBytes> bytes = (*spool)->map();
  if (!bytes) return tl::unexpected(bytes.error());
  Result<std::unique_ptr<RecordingFile>> file =
      RecordingFile::open(source_name(), std::move(*bytes));
  if (!file) return tl::unexpected(file.error());
  file_ = std::move(*file);
  return {};
}

void RecordingReader::read_names() {
  for (const auto& [number, process] : file_->processes()) {
    const auto known = file_->names().find(process.names);
    const auto [names, is_new] = names_.try_emplace(process.names, sites_, facts_->notes());
    if (is_new && known != file_->names().end()) names->second.add(known->second);
  }
  mutable_symbols().has_no_units =
      std::none_of(names_.begin(), names_.end(),
                   [](const auto& names) { return names.second.may_have_labels(); });
  auto places = std::make_unique<PlaceNames>(mutable_symbols());
  places_ = places.get();
  mutable_symbols().names(Space::location).leave_to(std::move(places));
}

Result<void> RecordingReader::read(EventBuffer& buffer) {
  buffer.clear(next_index_);
  if (!started_) {
    started_ = true;
    if (file_ == nullptr) {
      if (Result<void> done = load(); !done) return done;
    }
    read_names();
    next_process_ = file_->processes().begin();
    for (const auto& [number, process] : file_->processes()) all_parts_ += process.parts();
  }
  while (!ended_ && buffer.events.size() < kBatchEvents) {
    if (!merger_) {
      const Result<bool> begun = begin_process();
      if (!begun) return tl::unexpected(begun.error());
      if (!*begun) {
        finish();
        break;
      }
      if (!buffer.events.empty()) break;  // each batch is of one process
    }
    buffer.may_race = may_race_;
    RecordMerger::Run run;
    if (merger_->next(run)) {
      events_->add(run.thread, run.records, buffer);
      continue;
    }
    if (!merger_->error().empty()) return fail("{}", merger_->error());
    left_out_ += events_->left_out();
    parts_done_ += merger_->parts_done();
    merger_.reset();
  }
  if (all_parts_ > 0) {
    const uint64_t done = parts_done_ + (merger_ ? merger_->parts_done() : 0);
    progress_ = static_cast<double>(done) / static_cast<double>(all_parts_);
  }
  next_index_ += buffer.events.size();
  return {};
}

Result<bool> RecordingReader::begin_process() {
  if (next_process_ == file_->processes().end()) return false;
  const auto& [number, process] = *next_process_++;
  Result<Survey> known = survey(process);
  if (!known) return tl::unexpected(known.error());
  events_ = std::make_unique<ProcessEvents>(
      number, std::move(known->pieces), names_.find(process.names)->second, mutable_symbols(),
      *places_, counts_, facts_->log(), std::move(known->traits));
  merger_.emplace(*file_, process, std::move(known->unneeded));
  may_race_ = known->may_race;
  return true;
}

Result<RecordingReader::Survey> RecordingReader::survey(
    const RecordingFile::Process& process) const {
  MemorySurvey memory(all_);
  PartPages parts;
  RecordMerger merger(*file_, process, {});
  for (RecordMerger::Run run; merger.next(run);) {
    memory.add(run.thread, run.records);
    if (!all_) parts.add(*run.part, run.records);
  }
  if (!merger.error().empty()) return fail("{}", merger.error());
  if (memory.damaged()) {
    return fail("{}: records of thread {} are damaged: one is of more memory than a record can be",
                file_->name(), *memory.damaged());
  }
  std::vector<MemoryPiece> pieces = memory.take_pieces();
  UnneededParts unneeded = parts.unneeded(pieces);
  return Survey{std::move(pieces), std::move(unneeded), memory.traits(), memory.may_race()};
}

void RecordingReader::finish() {
  ended_ = true;
  if (!file_->note().empty()) add_note(file_->note());
  if (facts_->log().stacks.left_out() > 0) {
    add_note("the run was long: calls that led to its later events are not known");
  }
  if (const uint64_t count = file_->unrecorded_threads(); count > 0) {
    facts_->note_missing_order();
    add_note(
        fmt::format("{} could not be recorded, and what they order is not known: all findings "
                    "are predictions",
                    counted(count, "thread")));
  }
  left_out_ += file_->dropped();
  if (left_out_ > 0) {
    add_note(
        fmt::format("{} of the program made no sense and were left out (unlocks of locks "
                    "that were not held, signal handlers at a bad moment)",
                    counted(left_out_, "record")));
  }
}

namespace {

Match match(std::string_view head, bool) {
  return head.starts_with(ftr::kMagic) && ftr::is_recording(head) ? Match::certain : Match::no;
}

const FormatRegistration registration({
    .name = "recording",
    .extension = ".ftr",
    .summary = "what 'foretrace record' writes: each thread's records, put in order when read",
    .match = match,
    .reader = [](ByteReader input) -> std::unique_ptr<TraceReader> {
      return std::make_unique<RecordingReader>(std::move(input));
    },
    .writer = nullptr,
});

}  // namespace
}  // namespace foretrace
