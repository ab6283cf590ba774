#include "instrument/loop_ranges.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "instrument/names.h"

namespace foretrace::instrument {

namespace {

// An expression in which the program's own results stand for unsigned divisions: a
// division must not be made where the program might not make it, and a thread's part
// of an array often begins at size * me / threads.
class WithDivisionsDone : public llvm::SCEVRewriteVisitor<WithDivisionsDone> {
 public:
  WithDivisionsDone(llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators,
                    llvm::ArrayRef<llvm::Instruction*> divisions, const llvm::Instruction& place)
      : SCEVRewriteVisitor(evolution),
        dominators_(dominators),
        divisions_(divisions),
        place_(place) {}

  const llvm::SCEV* visitUDivExpr(const llvm::SCEVUDivExpr* expression) {
    for (llvm::Instruction* const division : divisions_) {
      if (SE.getSCEV(division) == expression && dominators_.dominates(division, &place_)) {
        return SE.getUnknown(division);
      }
    }
    return expression;
  }

 private:
  const llvm::DominatorTree& dominators_;
  llvm::ArrayRef<llvm::Instruction*> divisions_;
  const llvm::Instruction& place_;
};

// Few accesses are better looked at one by one, and what is larger has no hook of its own.
bool is_worth_strided_range(const llvm::SCEV& rounds_less_one, uint64_t bytes) {
  constexpr uint64_t kFewestRounds = 8;
  constexpr uint64_t kMostBytes = 16;
  const auto* const known = llvm::dyn_cast<llvm::SCEVConstant>(&rounds_less_one);
  return bytes <= kMostBytes && (known == nullptr || known->getAPInt().uge(kFewestRounds - 1));
}

}  // namespace

LoopRange in_own_loop(LoopRange range, const llvm::Loop& own) {
  range.loop = &own;
  range.guards.clear();
  return range;
}

LoopRanges::LoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& manager)
    : evolution_(manager.getResult<llvm::ScalarEvolutionAnalysis>(function)),
      loops_(manager.getResult<llvm::LoopAnalysis>(function)),
      dominators_(manager.getResult<llvm::DominatorTreeAnalysis>(function)),
      aliases_(manager.getResult<llvm::AAManager>(function)) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.getOpcode() == llvm::Instruction::UDiv) divisions_.push_back(&instruction);
  }
}

bool LoopRanges::is_simple(const llvm::Loop& loop) {
  const auto [known, is_new] = simple_.try_emplace(&loop, false);
  if (!is_new) return known->second;
  if (!loop.isLoopSimplifyForm() || !loop.isInnermost()) return false;
  if (loop.getExitingBlock() == nullptr || loop.getExitingBlock() != loop.getLoopLatch() ||
      loop.getExitBlock() == nullptr) {
    return false;
  }
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (!is_quiet(instruction)) return false;
    }
  }
  simple_[&loop] = true;
  return true;
}

// The same for a loop that has others in it.
bool LoopRanges::is_simple_around(const llvm::Loop& loop) {
  const auto [known, is_new] = simple_around_.try_emplace(&loop, false);
  if (!is_new) return known->second;
  if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() != loop.getLoopLatch() ||
      loop.getExitBlock() == nullptr) {
    return false;
  }
  for (const llvm::Loop* const inside : loop.getLoopsInPreorder()) {
    if (llvm::isa<llvm::SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(inside)))
      return false;
  }
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (!is_quiet(instruction) || instruction.isVolatile()) return false;
    }
  }
  simple_around_[&loop] = true;
  return true;
}

namespace {

// Whether a value is there at a place, or can be computed there from what is.
bool is_available(const llvm::Value& value, const llvm::Instruction& place,
                  const llvm::DominatorTree& dominators) {
  const auto is_there = [&](const llvm::Value* part) { return dominators.dominates(part, &place); };
  const auto* const compare = llvm::dyn_cast<llvm::ICmpInst>(&value);
  return is_there(&value) || (compare != nullptr && llvm::all_of(compare->operands(), is_there));
}

}  // namespace

std::optional<llvm::SmallVector<LoopRange::Guard, 1>> LoopRanges::guards_of(
    const llvm::BasicBlock& block, const llvm::Loop& around) const {
  constexpr size_t kMostGuards = 2;
  const llvm::Instruction& place = *around.getLoopPreheader()->getTerminator();
  llvm::SmallVector<LoopRange::Guard, 1> guards;
  const llvm::BasicBlock* at = &block;
  while (!dominators_.dominates(at, around.getLoopLatch())) {
    const llvm::BasicBlock* const front = at->getSinglePredecessor();
    if (front == nullptr || !around.contains(front)) return std::nullopt;
    const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(front->getTerminator());
    if (branch == nullptr) return std::nullopt;
    if (branch->isConditional()) {
      if (branch->getSuccessor(0) == branch->getSuccessor(1) || guards.size() == kMostGuards ||
          !is_available(*branch->getCondition(), place, dominators_)) {
        return std::nullopt;
      }
      guards.push_back({branch->getCondition(), branch->getSuccessor(0) == at});
    }
    at = front;
  }
  return guards;
}

// Whether an access goes over the same places in each round of a loop around its own.
bool LoopRanges::is_same_in_rounds(const llvm::Instruction& access,
                                   const llvm::Loop& around) const {
  const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&access);
  if (pointer == nullptr) return false;
  const auto* const places =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(const_cast<llvm::Value*>(pointer)));
  return places != nullptr && places->getLoop() == loop_of(access) &&
         evolution_.isLoopInvariant(places->getStart(), &around) &&
         evolution_.isLoopInvariant(places->getStepRecurrence(evolution_), &around);
}

// Whether something in the loop around may make a difference to where in its order the access
// stands: it writes what is read, or touches what is written, and is elsewhere, or elsewhere in
// each round.
bool LoopRanges::depends_on_round(const llvm::Instruction& access, llvm::Value* pointer,
                                  const llvm::Loop& around) const {
  const llvm::Loop& own = *loop_of(access);
  const bool write = llvm::isa<llvm::StoreInst>(access);
  const llvm::MemoryLocation all = llvm::MemoryLocation::getBeforeOrAfter(pointer);
  for (llvm::BasicBlock* const block : around.blocks()) {
    for (llvm::Instruction& other : *block) {
      if (&other == &access || !other.mayReadOrWriteMemory()) continue;
      if (questions_ == 0) return true;
      --questions_;
      const llvm::ModRefInfo what = aliases_.getModRefInfo(&other, all);
      const bool matters = llvm::isModSet(what) || (write && llvm::isRefSet(what));
      if (matters && !(own.contains(block) && is_same_in_rounds(other, around))) return true;
    }
  }
  return false;
}

namespace {

// Whether what is read may decide which way a loop goes, or where it accesses memory. (Not by way
// of what the loop writes and then reads.)
bool decides_in(const llvm::Instruction& read, const llvm::Loop& loop) {
  constexpr size_t kMostUsers = 64;
  llvm::SmallVector<const llvm::Instruction*, 16> open = {&read};
  llvm::SmallPtrSet<const llvm::Instruction*, 32> seen = {&read};
  while (!open.empty()) {
    const llvm::Instruction* const value = open.pop_back_val();
    for (const llvm::User* const user : value->users()) {
      const auto* const next = llvm::dyn_cast<llvm::Instruction>(user);
      if (next == nullptr || !loop.contains(next)) continue;
      if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(next);
          store != nullptr && store->getPointerOperand() != value) {
        continue;
      }
      if (next->isTerminator() || next->mayReadOrWriteMemory()) return true;
      if (seen.insert(next).second) open.push_back(next);
      if (seen.size() > kMostUsers) return true;
    }
  }
  return false;
}

}  // namespace

bool LoopRanges::move_out(LoopRange& range, const llvm::Instruction& access, llvm::Value* pointer) {
  const llvm::Loop* const around = range.loop->getParentLoop();
  if (around == nullptr || !is_simple_around(*around)) return false;
  if (llvm::isa<llvm::LoadInst>(access) && decides_in(access, *around)) return false;
  const llvm::Instruction* const place = around->getLoopPreheader()->getTerminator();
  const llvm::SCEVExpander expander(evolution_, "foretrace");
  for (const llvm::SCEV* const part : {range.first, range.bytes, range.step, range.rounds}) {
    if (part == nullptr) continue;
    if (!evolution_.isLoopInvariant(part, around) || !expander.isSafeToExpandAt(part, place)) {
      return false;
    }
  }
  const auto is_there = [&](const LoopRange::Guard& guard) {
    return is_available(*guard.condition, *place, dominators_);
  };
  const auto guards = guards_of(*range.loop->getLoopPreheader(), *around);
  if (!guards || !llvm::all_of(range.guards, is_there) ||
      depends_on_round(access, pointer, *around)) {
    return false;
  }
  range.guards.append(guards->begin(), guards->end());
  range.loop = around;
  return true;
}

// Of what is known of the accesses only their types hold for others than those of one round.
llvm::MemoryLocation LoopRanges::all_places_of(const llvm::Instruction& access) {
  llvm::AAMDNodes known;
  known.TBAA = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  return llvm::MemoryLocation::getBeforeOrAfter(llvm::getLoadStorePointerOperand(&access), known);
}

bool LoopRanges::may_be_range(const llvm::Instruction& access, const llvm::Loop* loop) {
  return loop != nullptr && !access.isVolatile() && is_simple(*loop) &&
         dominators_.dominates(access.getParent(), loop->getLoopLatch()) &&
         !llvm::isa<llvm::SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(loop));
}

std::optional<LoopRange> LoopRanges::range_of(const llvm::Instruction& access, llvm::Value* pointer,
                                              uint64_t bytes) {
  const llvm::Loop* const loop = loop_of(access);
  if (!may_be_range(access, loop)) return std::nullopt;
  const llvm::SCEV* const rounds_less_one = evolution_.getBackedgeTakenCount(loop);
  llvm::Type* const word = llvm::Type::getInt64Ty(access.getContext());
  const auto* const address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(pointer));
  if (address == nullptr || address->getLoop() != loop || !address->isAffine()) {
    return std::nullopt;
  }
  const llvm::SCEV* const step = address->getStepRecurrence(evolution_);
  if (evolution_.getTypeSizeInBits(rounds_less_one->getType()) > 64) return std::nullopt;
  const llvm::SCEV* const others = evolution_.getTruncateOrZeroExtend(rounds_less_one, word);
  LoopRange range = {loop, address->getStart(), nullptr, nullptr, nullptr, false, {}, false};
  const auto* const constant = llvm::dyn_cast<llvm::SCEVConstant>(step);
  if (constant != nullptr && constant->getAPInt().abs() == bytes) {
    const llvm::SCEV* const last =
        evolution_.getMulExpr(others, evolution_.getConstant(word, bytes));
    range.bytes = evolution_.getAddExpr(last, evolution_.getConstant(word, bytes));
    if (constant->getAPInt().isNegative()) {
      range.first = evolution_.getAddExpr(range.first, evolution_.getNegativeSCEV(last));
      range.backwards = true;
    }
  } else {
    if (!is_worth_strided_range(*rounds_less_one, bytes)) return std::nullopt;
    range.step = step;
    range.rounds = evolution_.getAddExpr(others, evolution_.getOne(word));
  }
  const llvm::SCEVExpander expander(evolution_, "foretrace");
  const llvm::Instruction* const place = loop->getLoopPreheader()->getTerminator();
  WithDivisionsDone done(evolution_, dominators_, divisions_, *place);
  for (const llvm::SCEV** part : {&range.first, &range.bytes, &range.step, &range.rounds}) {
    if (*part == nullptr) continue;
    *part = done.visit(*part);
    if (!expander.isSafeToExpandAt(*part, place)) return std::nullopt;
  }
  while (move_out(range, access, pointer)) {
  }
  return range;
}

std::optional<LoopRange> LoopRanges::range_of_one_place(const llvm::Instruction& read,
                                                        llvm::Value* pointer, uint64_t bytes) {
  const llvm::Loop* const loop = loop_of(read);
  if (!may_be_range(read, loop) || decides_in(read, *loop)) return std::nullopt;
  const llvm::Instruction* const place = loop->getLoopPreheader()->getTerminator();
  const llvm::SCEV* const first = WithDivisionsDone(evolution_, dominators_, divisions_, *place)
                                      .visit(evolution_.getSCEV(pointer));
  if (!evolution_.isLoopInvariant(first, loop) ||
      !llvm::SCEVExpander(evolution_, "foretrace").isSafeToExpandAt(first, place)) {
    return std::nullopt;
  }
  llvm::Type* const word = llvm::Type::getInt64Ty(read.getContext());
  LoopRange range = {loop, first, evolution_.getConstant(word, bytes), nullptr, nullptr, false,
                     {},   true};
  while (move_out(range, read, pointer)) {
  }
  return range;
}

// The last one before the loop: that may be far from what it was computed from, as in structures
// that say how far away something is.
llvm::Value* LoopRanges::base_before(const llvm::Instruction& access, const llvm::Loop& loop) {
  auto* base = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&access));
  const auto* step = llvm::dyn_cast<llvm::GEPOperator>(base);
  while (step != nullptr && !loop.isLoopInvariant(base)) {
    base = const_cast<llvm::Value*>(step->getPointerOperand());
    step = llvm::dyn_cast<llvm::GEPOperator>(base);
  }
  if (!loop.isLoopInvariant(base)) {  // a pointer that goes on by itself
    const auto* const start =
        llvm::dyn_cast<llvm::SCEVUnknown>(evolution_.getPointerBase(evolution_.getSCEV(base)));
    if (start == nullptr) return nullptr;
    base = start->getValue();
  }
  const bool is_nowhere = llvm::isa<llvm::Constant>(base) && !llvm::isa<llvm::GlobalValue>(base);
  if (is_nowhere || !base->getType()->isPointerTy() || loop.getLoopPreheader() == nullptr ||
      !dominators_.dominates(base, loop.getLoopPreheader()->getTerminator())) {
    return nullptr;
  }
  return base;
}

LoopRanges::Course LoopRanges::course_of(const LoopRange& range, uint64_t bytes) {
  if (!range.is_side_by_side()) return {range.first, range.step};
  llvm::Type* const word = evolution_.getEffectiveSCEVType(range.first->getType());
  if (range.is_one_place) return {range.first, evolution_.getZero(word)};
  const llvm::SCEV* const step = evolution_.getConstant(word, bytes);
  if (!range.backwards) return {range.first, step};
  const llvm::SCEV* const back = evolution_.getNegativeSCEV(step);
  return {evolution_.getAddExpr(range.first, range.bytes, back), back};
}

std::optional<int64_t> LoopRanges::distance_after(const Course& from, const Course& to,
                                                  uint64_t rounds) {
  if (from.step != to.step) return std::nullopt;
  const llvm::SCEV* const far =
      evolution_.getMulExpr(to.step, evolution_.getConstant(to.step->getType(), rounds));
  return distance(*from.first, *evolution_.getAddExpr(to.first, far));
}

std::optional<int64_t> LoopRanges::distance(const llvm::SCEV& from, const llvm::SCEV& to) {
  const auto* const known = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(&to, &from));
  if (known == nullptr) return std::nullopt;
  return known->getAPInt().trySExtValue();
}

llvm::Value* LoopRanges::all_of(llvm::ArrayRef<LoopRange::Guard> guards,
                                llvm::Instruction& place) const {
  llvm::IRBuilder<> builder(&place);
  llvm::Value* all = builder.getTrue();
  // From the outermost on: where one does not hold, those inside it may be anything.
  for (const LoopRange::Guard& guard : llvm::reverse(guards)) {
    llvm::Value* condition = guard.condition;
    if (!dominators_.dominates(condition, &place)) {
      llvm::Instruction* const compare = llvm::cast<llvm::ICmpInst>(condition)->clone();
      compare->dropPoisonGeneratingFlags();
      condition = builder.Insert(compare);
    }
    if (!guard.holds) condition = builder.CreateNot(condition);
    all = builder.CreateLogicalAnd(all, condition);
  }
  return all;
}

LoopRanges::Place LoopRanges::compute(const LoopRange& range) {
  llvm::SCEVExpander expander(evolution_, "foretrace");
  llvm::Instruction* const place = range.loop->getLoopPreheader()->getTerminator();
  llvm::Type* const word = llvm::Type::getInt64Ty(place->getContext());
  const auto number = [&](const llvm::SCEV* value) -> llvm::Value* {
    return value != nullptr ? expander.expandCodeFor(value, word, place) : nullptr;
  };
  llvm::Type* const pointer = llvm::PointerType::getUnqual(place->getContext());
  Place found = {expander.expandCodeFor(range.first, pointer, place), number(range.bytes),
                 number(range.step), number(range.rounds)};
  if (!range.guards.empty()) {
    llvm::Value* const is_made = all_of(range.guards, *place);
    llvm::IRBuilder<> builder(place);
    llvm::Value*& extent = found.bytes != nullptr ? found.bytes : found.rounds;
    extent = builder.CreateSelect(is_made, extent, llvm::ConstantInt::get(word, 0));
  }
  return found;
}

// Read at r and written at w in the first round, and then each time a step further: what lies
// from w on is written before it is read if w is further than r. So of the reads there stay as
// many bytes as there are from r to w.
void LoopRanges::leave_out_written(Place& reads, const LoopRange& range, const LoopRange& writes,
                                   bool write_is_first) {
  llvm::Instruction* const place = range.loop->getLoopPreheader()->getTerminator();
  const llvm::SCEVExpander safe(evolution_, "foretrace");
  const auto first_round = [](const LoopRange& of, llvm::ScalarEvolution& evolution) {
    return of.backwards ? evolution.getAddExpr(of.first, of.bytes) : of.first;
  };
  const llvm::SCEV* const from = first_round(range, evolution_);
  const llvm::SCEV* const to = first_round(writes, evolution_);
  const llvm::SCEV* const ahead =
      range.backwards ? evolution_.getMinusSCEV(from, to) : evolution_.getMinusSCEV(to, from);
  llvm::Type* const word = llvm::Type::getInt64Ty(place->getContext());
  llvm::IRBuilder<> builder(place);
  llvm::Value* distance = nullptr;
  if (!llvm::isa<llvm::SCEVCouldNotCompute>(ahead)) {
    const bool is_behind =
        write_is_first ? evolution_.isKnownNegative(ahead) : evolution_.isKnownNonPositive(ahead);
    if (is_behind || !safe.isSafeToExpandAt(ahead, place)) return;
    distance = llvm::SCEVExpander(evolution_, "foretrace").expandCodeFor(ahead, word, place);
  } else {  // they start from different pointers
    if (!safe.isSafeToExpandAt(from, place) || !safe.isSafeToExpandAt(to, place)) return;
    llvm::SCEVExpander expander(evolution_, "foretrace");
    llvm::Type* const pointer = llvm::PointerType::getUnqual(place->getContext());
    const auto number_of = [&](const llvm::SCEV* address) {
      return builder.CreatePtrToInt(expander.expandCodeFor(address, pointer, place), word);
    };
    llvm::Value* const of_reads = number_of(from);
    llvm::Value* const of_writes = number_of(to);
    distance = range.backwards ? builder.CreateSub(of_reads, of_writes)
                               : builder.CreateSub(of_writes, of_reads);
  }
  // Not further: then the reads come first, and as a number without sign it is large; or 0, where
  // it hangs on the order in a round.
  llvm::Value* is_less = builder.CreateICmpULT(distance, reads.bytes);
  if (!write_is_first) {
    is_less =
        builder.CreateAnd(builder.CreateICmpNE(distance, llvm::ConstantInt::get(word, 0)), is_less);
  }
  llvm::Value* const bytes = builder.CreateSelect(is_less, distance, reads.bytes);
  if (range.backwards) {
    reads.first = builder.CreatePtrAdd(reads.first, builder.CreateSub(reads.bytes, bytes));
  }
  reads.bytes = bytes;
}

}  // namespace foretrace::instrument
