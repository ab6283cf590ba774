// Loops over arrays: the accesses of all rounds as one range.
#pragma once

#include <optional>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassManager.h>

namespace foretrace::instrument {

// The bytes that an access touches in all rounds of its loop together.
struct LoopRange {
  const llvm::Loop* loop;  // or one around it, if they are the same in each of its rounds
  // Side by side: the address of the first byte, and how many there are.
  const llvm::SCEV* first;
  const llvm::SCEV* bytes;
  // Else: the address in the first round, how far from it that in the next is, and how many
  // rounds there are. Null if they are side by side.
  const llvm::SCEV* step;
  const llvm::SCEV* rounds;
  bool backwards;  // side by side, but each in front of the one before
  // What must hold, or not, for the access to be made at all: it is known before the loop.
  struct Guard {
    llvm::Value* condition;
    bool holds;
    bool operator==(const Guard&) const = default;
  };
  llvm::SmallVector<Guard, 1> guards;
  bool is_one_place = false;  // these bytes are read again in each round

  bool is_side_by_side() const { return step == nullptr; }
};

// What a range that was moved out of its own loop is in each round of the one around.
LoopRange in_own_loop(LoopRange range, const llvm::Loop& own);

// Finds them. Only what certainly happens counts: the loop has one way out, at
// the end of a round, the number of rounds is known before the first, nothing in
// it synchronises, throws or ends the program, and the access is made in every
// round, each time as far from the last one. Or it is a read of one place.
//
// Where a loop around it makes the same accesses in each round, and nothing else in that
// writes what is read or touches what is written, unless it is the same each time too, they count
// for the loop around it.
//
// Who reads the same again and again may find another value one day. So a read that is recorded
// once for all rounds must not decide what else they do.
class LoopRanges {
 public:
  LoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& manager);

  std::optional<LoopRange> range_of(const llvm::Instruction& access, llvm::Value* pointer,
                                    uint64_t bytes);
  // Of a read that is at the same place in each round.
  std::optional<LoopRange> range_of_one_place(const llvm::Instruction& read, llvm::Value* pointer,
                                              uint64_t bytes);

  // The innermost loop that it is in; null if there is none.
  const llvm::Loop* loop_of(const llvm::Instruction& instruction) const {
    return loops_.getLoopFor(instruction.getParent());
  }

  // How far it is from one address to another, if that is known.
  std::optional<int64_t> distance(const llvm::SCEV& from, const llvm::SCEV& to);
  // What an address starts from.
  const llvm::SCEV* base_of(const llvm::SCEV& address) {
    return evolution_.getPointerBase(&address);
  }
  // The same of a single access, as a value that is there before the loop; null if it is not.
  llvm::Value* base_before(const llvm::Instruction& access, const llvm::Loop& loop);

  // Where the accesses of a range, of so many bytes each, are in the rounds of their own loop.
  struct Course {
    const llvm::SCEV* first;  // the address in the first round
    const llvm::SCEV* step;   // to that in the next
  };
  Course course_of(const LoopRange& range, uint64_t bytes);
  // How far from the first address of one the other is so many rounds later, if that is known and
  // both go on by the same steps.
  std::optional<int64_t> distance_after(const Course& from, const Course& to, uint64_t rounds);

  // Computes the range in front of the loop.
  struct Place {
    llvm::Value* first;
    llvm::Value* bytes;  // null if they are not side by side,
    llvm::Value* step;   // and these two if they are
    llvm::Value* rounds;
  };
  Place compute(const LoopRange& range);
  // What a loop writes and then reads is not to be recorded as read in front of that. Leaves it
  // out, of what is read side by side or at one place.
  void leave_out_written(Place& reads, const LoopRange& range, const LoopRange& writes,
                         bool write_is_first);
  // Whether one comes before the other in each round.
  bool is_first(const llvm::Instruction& one, const llvm::Instruction& other) const {
    return dominators_.dominates(&one, &other);
  }

  // Whether two accesses may be of the same memory, in whatever rounds.
  bool may_meet(const llvm::Instruction& one, const llvm::Instruction& other) const {
    return !aliases_.isNoAlias(all_places_of(one), all_places_of(other));
  }
  // What a call may do to the memory of an access, in whatever rounds.
  llvm::ModRefInfo what_happens(const llvm::CallBase& call, const llvm::Value* pointer) const {
    return aliases_.getModRefInfo(&call, llvm::MemoryLocation::getBeforeOrAfter(pointer));
  }

 private:
  // Without how often it is made and where: all else that must hold.
  bool may_be_range(const llvm::Instruction& access, const llvm::Loop* loop);
  static llvm::MemoryLocation all_places_of(const llvm::Instruction& access);
  bool is_simple(const llvm::Loop& loop);
  bool is_simple_around(const llvm::Loop& loop);
  // Makes it a range of the loop around its own. False: it cannot be.
  bool move_out(LoopRange& range, const llvm::Instruction& access, llvm::Value* pointer);
  // What leads from the end of each round of a loop around to this block; none if it is not known
  // before that.
  std::optional<llvm::SmallVector<LoopRange::Guard, 1>> guards_of(const llvm::BasicBlock& block,
                                                                  const llvm::Loop& around) const;
  bool depends_on_round(const llvm::Instruction& access, llvm::Value* pointer,
                        const llvm::Loop& around) const;
  bool is_same_in_rounds(const llvm::Instruction& access, const llvm::Loop& around) const;
  llvm::Value* all_of(llvm::ArrayRef<LoopRange::Guard> guards, llvm::Instruction& place) const;

  llvm::ScalarEvolution& evolution_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::AAResults& aliases_;
  llvm::SmallVector<llvm::Instruction*, 8> divisions_;  // unsigned ones of the function
  llvm::DenseMap<const llvm::Loop*, bool> simple_;
  llvm::DenseMap<const llvm::Loop*, bool> simple_around_;
  // How many more instructions a function may ask about: those that are very long would take long.
  mutable uint32_t questions_ = 1U << 16;
};

}  // namespace foretrace::instrument
