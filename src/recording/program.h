// The program that is recorded, as a child process.
#pragma once

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/error.h"

namespace foretrace {

class Program {
 public:
  // Starts it with these words; it inherits everything, `session` is the folder
  // that its runtime records to, and `libraries` is where the dynamic linker
  // looks first for what it needs.
  static Result<Program> start(const std::vector<std::string>& words, const std::string& session,
                               const std::string& libraries);

  // Looks whether it still runs.
  bool is_running();
  void wait();
  // Once it has ended: its exit status, or 128 and the signal that ended it, as
  // shells have it.
  int exit_status() const;

 private:
  explicit Program(pid_t pid) : pid_(pid) {}
  void look(int options);

  pid_t pid_;
  bool ended_ = false;
  int status_ = 0;
};

// Until this goes out of scope, signals are for the program: it decides whether it
// ends, and the recorder reports what it did until then. Ctrl-C reaches both; what
// somebody sends to the recorder's process alone is handed on.
class LeaveSignalsToProgram {
 public:
  LeaveSignalsToProgram();
  ~LeaveSignalsToProgram();
  LeaveSignalsToProgram(const LeaveSignalsToProgram&) = delete;
  LeaveSignalsToProgram& operator=(const LeaveSignalsToProgram&) = delete;

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace foretrace
