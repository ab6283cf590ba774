#include "cli/steering_options.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <elf.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/input.h"
#include "base/text.h"
#include "cli/library_folder.h"
#include "cli/options.h"
#include "cli/program_words.h"

namespace foretrace {
namespace {

bool is_plain(const std::string& word) {
  return !word.empty() && word.find_first_not_of(
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
                              "yz0123456789_-+=./:,@%") == std::string::npos;
}

std::string quoted(const std::string& word) {
  if (is_plain(word)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// gdb itself must not be steered: only what it starts gets the variables.
std::vector<std::string> under_gdb(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  std::string wrapper = "set exec-wrapper env";
  for (const auto& [name, value] : environment) {
    wrapper += fmt::format(" {}", quoted(fmt::format("{}={}", name, value)));
  }
  std::vector<std::string> gdb = {"gdb", "-iex", wrapper, "--args"};
  gdb.insert(gdb.end(), words.begin(), words.end());
  return gdb;
}

// Whether the loader puts the steering runtime in front of a program. It puts nothing in
// front of one that has its libraries in itself; a note says whether the runtime is there.
bool can_be_steered(const std::string& path) {
  constexpr std::string_view kNote = "foretrace steer";
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header = {};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return true;
  }
  bool has_note = false;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part = {};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&part), sizeof part) || part.p_type == PT_INTERP) {
      return true;
    }
    if (part.p_type != PT_NOTE) continue;
    std::string notes(std::min<uint64_t>(part.p_filesz, 1U << 16), '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    has_note = has_note || (file.read(notes.data(), static_cast<std::streamsize>(notes.size())) &&
                            notes.find(kNote) != std::string::npos);
  }
  return has_note;
}

Result<int> run_in_foreground(const std::vector<std::string>& words,
                              const std::vector<std::pair<std::string, std::string>>& variables) {
  const LeaveSignalsToProgram leave;
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should this process be killed
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGQUIT, SIG_DFL);
    ::execvp(pointers[0], pointers.data());
    fmt::print(stderr, "foretrace: cannot run {}: {}\n", words[0], std::strerror(errno));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

void add_program_options(CLI::App& app, ProgramOptions& options) {
  app.add_option("--timeout", options.seconds,
                 "A run that takes longer is ended and counts as hanging")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--stdin", options.input, "What the program reads (default: nothing)")
      ->type_name("FILE");
}

void add_section_runs(CLI::App& app, SectionRuns& options, uint64_t runs,
                      const std::string& runs_help) {
  options.runs = runs;
  app.add_option("-o,--output", options.output, "Where the sections go; - is standard output")
      ->type_name("FILE");
  add_count(app, "--runs", options.runs, runs_help);
  add_count(app, "--seed", options.seed, "Of the first run; each run has the next one");
  add_program_options(app, options.program);
  take_program_words(app);
}

Result<void> write_sections(const SectionRuns& options,
                            const std::vector<AtomicSection>& sections) {
  return write_text(options.output, sections_text(sections));
}

Result<SteeredProgram> steered_program(const CLI::App& app, const ProgramOptions& options) {
  SteeredProgram program;
  Result<std::vector<std::string>> words = program_words(app);
  if (!words) return tl::unexpected(words.error());
  program.words = std::move(*words);
  if (!can_be_steered(program.words.front())) {
    return fail(
        "{} is linked statically, for recording: link it dynamically, or build it once more with "
        "foretrace c++ --hunt",
        printable(program.words.front()));
  }
  const Result<std::filesystem::path> libraries = library_folder();
  if (!libraries) return tl::unexpected(libraries.error());
  program.libraries = libraries->string();
  if (!std::filesystem::exists(*libraries / "libforetrace_steer.so")) {
    return fail("libforetrace_steer.so is not in {}: build or install Foretrace again",
                libraries->string());
  }
  program.input = options.input;
  program.seconds = options.seconds;
  return program;
}

std::string shell_line(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) parts.push_back(quoted(word));
  return fmt::format("{}", fmt::join(parts, " "));
}

Result<int> run_again(const SteeredProgram& program, const std::string& settings_file, bool gdb) {
  const Result<std::string> settings = read_input(settings_file);
  if (!settings) return tl::unexpected(settings.error());
  const std::vector<std::pair<std::string, std::string>> environment =
      steering_environment(program.libraries, std::filesystem::absolute(settings_file).string());
  return gdb ? run_in_foreground(under_gdb(program.words, environment), {})
             : run_in_foreground(program.words, environment);
}

}  // namespace foretrace
