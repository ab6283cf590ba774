#include "cli/program_words.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/help.h"
#include "cli/library_folder.h"

namespace foretrace {
namespace {

// 16 bytes a record: 1 MB a thread.
constexpr uint32_t kRingRecords = 1U << 16;

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) names.push_back(option_name(*option));
  }
  return names;
}

}  // namespace

void take_program_words(CLI::App& app) { app.prefix_command(); }

Result<std::vector<std::string>> program_words(const CLI::App& app) {
  std::vector<std::string> words = app.remaining();
  if (!words.empty() && words.front() == "--") {
    words.erase(words.begin());
  } else if (!words.empty() && words.front().starts_with('-')) {
    const std::string hint = did_you_mean(words.front(), option_names(app));
    return fail("{} has no option '{}'{}", app.get_name(), printable(words.front()),
                hint.empty() ? fmt::format("; see foretrace {} --help", app.get_name()) : hint);
  }
  if (words.empty()) {
    return fail("{} needs a program to run: foretrace {} -- ./program arguments", app.get_name(),
                app.get_name());
  }
  return words;
}

Result<std::unique_ptr<RecordedRun>> start_recorded(const std::vector<std::string>& words) {
  Result<std::unique_ptr<Session>> session = Session::create(kRingRecords);
  if (!session) return tl::unexpected(session.error());
  const Result<std::filesystem::path> libraries = library_folder();
  if (!libraries) return tl::unexpected(libraries.error());
  Result<Program> program =
      Program::start(words, (*session)->folder(), libtsan_folder(*libraries).string());
  if (!program) return tl::unexpected(program.error());
  return std::unique_ptr<RecordedRun>(new RecordedRun{std::move(*session), *program});
}

Result<void> RecordedRun::collect(ByteSink& sink, uint64_t plain_bytes,
                                  const std::function<void(Collector&)>& meanwhile) {
  Collector collector(*session, sink, plain_bytes);
  collector.run(program, [&] { meanwhile(collector); });
  return sink.close();
}

Result<std::shared_ptr<const RecordingFile>> record_to_spool(
    RecordedRun& run, const std::string& name, Kept kept,
    const std::function<void(Collector&, Spool&)>& meanwhile) {
  Result<std::unique_ptr<Spool>> spool = Spool::create();
  if (!spool) return tl::unexpected(spool.error());
  const uint64_t plain_bytes = kept == Kept::yes ? 0 : (*spool)->plenty();
  const Result<void> done = run.collect(
      **spool, plain_bytes, [&](Collector& collector) { meanwhile(collector, **spool); });
  if (!done) {
    fmt::print(stderr, "foretrace: {}; the program went on, what it did then is not known\n",
               done.error().message);
  }
  Result<MappedBytes> bytes = (*spool)->map();
  if (!bytes) return tl::unexpected(bytes.error());
  Result<std::unique_ptr<RecordingFile>> file = RecordingFile::open(name, std::move(*bytes));
  if (!file) return tl::unexpected(file.error());
  return std::shared_ptr<const RecordingFile>(std::move(*file));
}

std::optional<std::string> RecordedRun::what_is_missing(const std::string& name) const {
  if (const uint32_t count = session->header().no_room.load(); count > 0) {
    return fmt::format(
        "{} of {} could not be recorded: there is no room for them in {} (with Docker: "
        "--shm-size; TMPDIR names a folder that is used if there is more room), or files may "
        "not be as large (ulimit -f)",
        counted(count, "thread"), printable(name), session->folder());
  }
  if (session->header().processes.load() == 0) return not_instrumented(name);
  return std::nullopt;
}

RecordedRun::~RecordedRun() {
  session->close();
  program.wait();
}

std::string not_instrumented(const std::string& program) {
  return fmt::format(
      "{} recorded nothing: it was not built with Foretrace ('foretrace c++' or 'foretrace cc' in "
      "the place of the compiler), nor by GCC with -fsanitize=thread",
      printable(program));
}

}  // namespace foretrace
