// The call stacks of recorded events.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recording/code_modules.h"
#include "trace/event.h"

namespace foretrace {

// The stacks of one program image, and the modules that their places are in.
class CallStacks {
 public:
  CodeModules& modules() { return modules_; }

  // A stack is another one (0: none) and a call from a site (by its number).
  void add(uint32_t number, uint32_t parent, uint32_t site);
  // The stack without its last call; 0 if there is none. It has a smaller number, so
  // that going on from one to the next ends.
  uint32_t parent(uint32_t number) const;
  // Where that call is: a place in the modules.
  uint32_t place(uint32_t number) const;
  // The same as a site's number. Of a site that is placed (recording::kPlacedSite): that site.
  uint32_t site(uint32_t number) const;
  // The calls, innermost first, inlined ones included.
  std::vector<CodeFrame> frames(uint32_t number);

 private:
  struct Stack {
    uint32_t parent = 0;
    uint32_t site = 0;
  };
  CodeModules modules_;
  std::vector<Stack> stacks_ = std::vector<Stack>(1);
};

// Which stack a thread had at which event: noted when it changes.
class StackLog {
 public:
  // From the event with this index on.
  void note(ThreadId thread, uint64_t index, const std::shared_ptr<CallStacks>& stacks,
            uint32_t number);
  // The calls that led to an event of the thread; empty if they are not known.
  std::vector<CodeFrame> frames_at(ThreadId thread, uint64_t index) const;
  // Changes that found no place, so that frames_at() does not know them.
  uint64_t left_out() const { return left_out_; }

 private:
  // There are many, and few stacks (the runtime stops at less than a million).
  class Change {
   public:
    Change(uint64_t index, uint32_t number)
        : bits_(index << kNumberBits | (number < kNumbers ? number : 0)) {}
    uint64_t index() const { return bits_ >> kNumberBits; }
    uint32_t number() const { return static_cast<uint32_t>(bits_ & (kNumbers - 1)); }

   private:
    static constexpr uint32_t kNumberBits = 24;
    static constexpr uint64_t kNumbers = uint64_t{1} << kNumberBits;
    uint64_t bits_;
  };
  struct Thread {
    std::shared_ptr<CallStacks> stacks;
    std::vector<Change> changes;
  };
  // Memory for a long run is bounded: 8 bytes each.
  static constexpr uint64_t kMost = 16'000'000;

  std::vector<Thread> threads_;
  uint64_t changes_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace foretrace
