// The program that is recorded, as a child process.
#pragma once

#include <string>
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

  pid_t pid_;
  bool ended_ = false;
  int status_ = 0;
};

// Until this goes out of scope, Ctrl-C is for the program only: it decides
// whether it ends, and the recorder reports what it did until then.
class LeaveSignalsToProgram {
 public:
  LeaveSignalsToProgram();
  ~LeaveSignalsToProgram();
  LeaveSignalsToProgram(const LeaveSignalsToProgram&) = delete;
  LeaveSignalsToProgram& operator=(const LeaveSignalsToProgram&) = delete;

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

}  // namespace foretrace
