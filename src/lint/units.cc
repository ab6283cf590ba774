#include "lint/units.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_set>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include "base/input.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "lint/archive.h"

namespace foretrace::lint {
namespace {

namespace fs = std::filesystem;

// Reads without looking through compression: these are sources and our own files.
std::optional<std::string> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  std::string bytes(static_cast<size_t>(std::max<std::streamoff>(file.tellg(), 0)), '\0');
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) return std::nullopt;
  return bytes;
}

// Content hashes, each file read once.
class Hashes {
 public:
  std::optional<uint64_t> of(const std::string& path) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = hashes_.find(path); known != hashes_.end()) return known->second;
    }
    std::optional<uint64_t> hash;
    if (const auto bytes = bytes_of(path)) hash = XXH3_64bits(bytes->data(), bytes->size());
    const std::lock_guard lock(mutex_);
    hashes_[path] = hash;
    return hash;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::optional<uint64_t>> hashes_;
};

// Is removed with all that is in it.
struct TemporaryFolder {
  explicit TemporaryFolder(std::string where) : path(std::move(where)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  const std::string path;
};

// Processes that are waited for, and can be ended meanwhile.
class Children {
 public:
  // The exit status as waitpid() gives it.
  int wait_for(pid_t child) {
    {
      const std::lock_guard lock(mutex_);
      running_.insert(child);
      if (ending_) ::kill(child, SIGKILL);
    }
    // It keeps its number until it is reaped, which end() must not miss.
    siginfo_t ended;
    while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    const std::lock_guard lock(mutex_);
    running_.erase(child);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const pid_t child : running_) ::kill(child, SIGKILL);
  }

 private:
  std::mutex mutex_;
  std::set<pid_t> running_;
  bool ending_ = false;
};

// What is done for one command; Names are not thread-safe, so summaries are read
// when all workers are done.
struct Unit {
  std::string file;     // where the summary lies
  std::string problem;  // if there is none
  bool cached = false;
};

class Runner {
 public:
  Runner(const std::vector<CompileCommand>& commands, const UnitOptions& options)
      : commands_(commands), options_(options), units_(commands.size()) {}

  Result<Units> run() {
    if (Result<void> ready = prepare(); !ready) return tl::unexpected(ready.error());
    check_cache();
    make_missing();
    return collect();
  }

 private:
  Result<void> prepare() {
    std::error_code error;
    folder_ = options_.cache;
    if (folder_.empty()) {
      std::string pattern = (fs::temp_directory_path(error) / "foretrace-lint-XXXXXX").string();
      if (::mkdtemp(pattern.data()) == nullptr) {
        return fail("{} cannot be made: is there room on the disk?", pattern);
      }
      folder_ = pattern;
      temporary_ = std::make_shared<TemporaryFolder>(pattern);
    } else {
      fs::create_directories(folder_, error);
      if (error) {
        return fail("{} cannot be made: {} (--no-cache does without)", folder_, error.message());
      }
      if (::access(folder_.c_str(), W_OK | X_OK) != 0) {
        return fail("{} cannot be written to (--no-cache does without)", folder_);
      }
    }
    return {};
  }

  // The cache's file for a command: another command, another worker or another
  // version have other files.
  std::string file_for(const CompileCommand& command) const {
    std::string text = command.directory + '\0' + command.file + '\0';
    for (const std::string& word : command.words) text += word + '\0';
    std::error_code error;
    text += fmt::format("{} {} {}", kSummaryVersion, fs::file_size(options_.worker, error),
                        fs::last_write_time(options_.worker, error).time_since_epoch().count());
    return (fs::path(folder_) /
            fmt::format("{:016x}.summary", XXH3_64bits(text.data(), text.size())))
        .string();
  }

  void check_cache() {
    for (size_t i = 0; i < commands_.size(); ++i) {
      units_[i].file = file_for(commands_[i]);
      if (options_.cache.empty()) continue;
      const std::optional<std::string> bytes = bytes_of(units_[i].file);
      if (!bytes) continue;
      const Result<Summary> head = summary_head(*bytes);
      units_[i].cached = head && head->errors.empty() && is_current(*head);
    }
  }

  bool is_current(const Summary& summary) {
    return std::all_of(summary.inputs.begin(), summary.inputs.end(), [&](const InputFile& input) {
      return hashes_.of(input.path) == input.hash;
    });
  }

  void make_missing() {
    std::vector<size_t> missing;
    for (size_t i = 0; i < units_.size(); ++i) {
      if (!units_[i].cached) missing.push_back(i);
    }
    if (missing.empty()) return;
    std::atomic<size_t> next = 0;
    std::atomic<size_t> done = 0;
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, options_.jobs); ++i) {
      workers.emplace_back([&] {
        for (size_t at = next++; at < missing.size() && !interrupted(); at = next++) {
          make(missing[at]);
          ++done;
        }
      });
    }
    {
      Progress progress("reading sources", "files");
      while (done < missing.size() && !interrupted()) {
        progress.update(static_cast<double>(done) / static_cast<double>(missing.size()), done);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
    if (interrupted()) children_.end();
    for (std::thread& worker : workers) worker.join();
  }

  void make(size_t i) {
    const CompileCommand& command = commands_[i];
    Unit& unit = units_[i];
    std::error_code error;
    if (!fs::exists(command.file, error)) {
      unit.problem = fmt::format(
          "{}: the file is not there; if it is generated, build the project first", command.file);
      return;
    }
    const std::string temporary = fmt::format("{}.{}", unit.file, ::getpid());
    std::vector<std::string> words = {options_.worker, temporary};
    words.insert(words.end(), command.words.begin(), command.words.end());
    const int status = run_in(command.directory, words);
    if (status == 0) fs::rename(temporary, unit.file, error);
    if (status == 0 && !error) return;
    fs::remove(temporary, error);
    unit.problem =
        WIFSIGNALED(status)
            ? fmt::format("{}: Clang crashed (signal {}); the file is left out", command.file,
                          WTERMSIG(status))
            : fmt::format("{}: its summary could not be made; the file is left out", command.file);
  }

  // The exit status as waitpid() gives it; -1 if the program could not be started.
  int run_in(const std::string& directory, const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid = 0;
    const int status =
        ::posix_spawn(&pid, words[0].c_str(), &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return status != 0 ? -1 : children_.wait_for(pid);
  }

  Result<Units> collect() {
    Units all;
    all.kept = std::move(temporary_);
    std::unordered_set<std::string> counted;
    for (const Unit& unit : units_) {
      all.cached += unit.cached ? 1 : 0;
      const std::optional<std::string> bytes =
          unit.problem.empty() ? bytes_of(unit.file) : std::nullopt;
      const Result<Summary> head = bytes ? summary_head(*bytes) : fail("there is none");
      if (!head) {
        ++all.failed;
        all.problems.push_back(unit.problem.empty()
                                   ? fmt::format("{}: {}", unit.file, head.error().message)
                                   : unit.problem);
        continue;
      }
      if (!head->errors.empty()) {
        ++all.failed;
        all.problems.insert(all.problems.end(), head->errors.begin(), head->errors.end());
      }
      for (const InputFile& input : head->inputs) {
        if (counted.insert(input.path).second) all.lines += input.lines;
      }
      all.hash = XXH3_64bits_withSeed(bytes->data(), bytes->size(), all.hash);
      all.files.push_back(unit.file);
    }
    return all;
  }

  const std::vector<CompileCommand>& commands_;
  const UnitOptions& options_;
  std::vector<Unit> units_;
  std::string folder_;
  std::shared_ptr<const TemporaryFolder> temporary_;
  Hashes hashes_;
  Children children_;
};

}  // namespace

Result<Units> summarise_units(const std::vector<CompileCommand>& commands,
                              const UnitOptions& options) {
  return Runner(commands, options).run();
}

Result<std::vector<Summary>> read_summaries(const Units& units) {
  std::vector<Summary> summaries;
  std::unordered_set<Name> functions;
  std::unordered_set<Name> globals;
  for (const std::string& file : units.files) {
    const std::optional<std::string> bytes = bytes_of(file);
    Result<Summary> summary = bytes ? summary_from_bytes(*bytes) : fail("it cannot be read");
    if (!summary) return fail("{}: {}", file, summary.error().message);
    std::erase_if(summary->functions, [&](const Function& function) {
      return !function.is_main && !functions.insert(function.usr).second;
    });
    std::erase_if(summary->globals,
                  [&](const Global& global) { return !globals.insert(global.usr).second; });
    summary->inputs = {};
    summary->functions.shrink_to_fit();  // most were in another one already
    summary->globals.shrink_to_fit();
    summaries.push_back(std::move(*summary));
  }
  return summaries;
}

std::string default_cache() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/foretrace/lint";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/foretrace/lint" : "";
}

}  // namespace foretrace::lint
