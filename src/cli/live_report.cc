#include "cli/live_report.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"
#include "report/groups.h"
#include "report/words.h"

namespace foretrace {
namespace {

constexpr int kNiceness = 10;

// A look may take this share of the time.
constexpr double kShare = 0.25;

// Signals are for the program and its recorder; and without the recorder there is
// nobody to look for.
void stand_back() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) {
    std::signal(signal, SIG_IGN);
  }
  (void)!::nice(kNiceness);
}

// Progress and notes are for the report at the end.
void be_quiet() {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done > 0) {
      bytes.remove_prefix(static_cast<size_t>(done));
    } else if (errno != EINTR) {
      return;
    }
  }
}

// "data race on x (certified by mb): bank.cpp:41:3 and bank.cpp:57:7".
std::string line_of(const Finding& finding) {
  std::vector<std::string> sites;
  for (const FindingEvent& event : finding.events) {
    if (!event.site.empty() && std::find(sites.begin(), sites.end(), event.site) == sites.end()) {
      sites.push_back(event.site);
    }
  }
  const std::string where = sites.empty() ? "" : ": " + enumerated(sites, "and");
  return fmt::format("{} ({} by {}){}", headline(finding), name_of(finding.strength),
                     finding.analysis, where);
}

}  // namespace

LiveReport::LiveReport(std::string program, std::chrono::duration<double> pause, Analyze analyze)
    : program_(std::move(program)),
      pause_(pause),
      analyze_(std::move(analyze)),
      next_(begun_ + std::chrono::duration_cast<Clock::duration>(pause)) {}

LiveReport::~LiveReport() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  ::close(answers_);
}

void LiveReport::consider(Collector& collector, Spool& spool) {
  if (process_ != 0) {
    read_answers();
  } else if (Clock::now() >= next_) {
    start(collector, spool);
  }
}

void LiveReport::start(Collector& collector, Spool& spool) {
  const Collector::Unsettled unsettled = collector.unsettled();
  const uint64_t size = spool.size() + unsettled.chunks.size();
  started_ = Clock::now();
  next_ = started_ + std::chrono::duration_cast<Clock::duration>(pause_);
  if (size == seen_) return;
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  Result<MappedBytes> bytes = spool.map(unsettled.chunks);
  const pid_t process = ::fork();
  if (process == 0) look(std::move(bytes), unsettled.horizons, pipe[1]);
  ::close(pipe[1]);
  if (process < 0) {
    ::close(pipe[0]);
    return;
  }
  seen_ = size;
  process_ = process;
  answers_ = pipe[0];
}

void LiveReport::look(Result<MappedBytes> bytes, const Horizons& horizons, int answers) const {
  stand_back();
  be_quiet();
  ::fcntl(answers, F_SETFL, 0);  // may block: it has nothing else to do
  if (bytes) {
    Result<std::unique_ptr<RecordingFile>> file =
        RecordingFile::open(program_, std::move(*bytes), horizons);
    if (file) {
      const Result<Report> report =
          analyze_(std::shared_ptr<const RecordingFile>(std::move(*file)));
      if (report) write_all(answers, new_errors(*report));
    }
  }
  // Whatever the recorder's process has to do at its end is not this one's.
  ::_exit(0);
}

std::string LiveReport::new_errors(const Report& report) const {
  std::string text;
  for (const Group& group : grouped(report.findings)) {
    std::vector<size_t> members = {group.leader};
    members.insert(members.end(), group.same_error.begin(), group.same_error.end());
    members.insert(members.end(), group.same_places.begin(), group.same_places.end());
    std::set<std::string> ids;
    for (const size_t member : members) ids.insert(common_id(report.findings[member]));
    if (std::any_of(ids.begin(), ids.end(),
                    [&](const std::string& id) { return said_.contains(id); })) {
      continue;
    }
    text += fmt::format("{}\t{}\n", fmt::join(ids, " "), line_of(report.findings[group.leader]));
  }
  return text;
}

void LiveReport::read_answers() {
  char bytes[4096];
  ssize_t count = 0;
  while ((count = ::read(answers_, bytes, sizeof bytes)) > 0) {
    answer_.append(bytes, static_cast<size_t>(count));
    size_t end = 0;
    for (size_t next = 0; (next = answer_.find('\n', end)) != std::string::npos; end = next + 1) {
      say(std::string_view(answer_).substr(end, next - end));
    }
    answer_.erase(0, end);
  }
  if (count < 0) return;  // not yet
  ::close(answers_);
  ::waitpid(process_, nullptr, 0);
  process_ = 0;
  const std::chrono::duration<double> took = Clock::now() - started_;
  const auto rest = std::chrono::duration_cast<Clock::duration>(took / kShare);
  next_ = std::max(next_, started_ + rest);
}

void LiveReport::say(std::string_view answer) {
  const size_t tab = answer.find('\t');
  std::string_view ids = answer.substr(0, tab);
  while (!ids.empty()) {
    const size_t end = std::min(ids.find(' '), ids.size());
    said_.emplace(ids.substr(0, end));
    ids.remove_prefix(std::min(end + 1, ids.size()));
  }
  const std::chrono::duration<double> age = started_ - begun_;
  fmt::print(stderr, "foretrace: after {:.1f} s: {}\n", age.count(), answer.substr(tab + 1));
}

}  // namespace foretrace
