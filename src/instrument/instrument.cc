#include "instrument/instrument.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "instrument/access.h"
#include "instrument/adjacent.h"
#include "instrument/describe.h"
#include "instrument/early_reads.h"
#include "instrument/foreseen_loops.h"
#include "instrument/hooks.h"
#include "instrument/ignore_list.h"
#include "instrument/library_calls.h"
#include "instrument/library_hooks.h"
#include "instrument/loop_ranges.h"
#include "instrument/names.h"
#include "instrument/private_memory.h"
#include "instrument/quiet_hooks.h"
#include "instrument/range_hooks.h"
#include "instrument/range_order.h"
#include "instrument/read_groups.h"
#include "instrument/references.h"
#include "instrument/section_hooks.h"
#include "instrument/section_points.h"
#include "instrument/sites.h"
#include "instrument/small_copies.h"
#include "instrument/sure_ways.h"
#include "instrument/unchanged_reads.h"
#include "instrument/update_pairs.h"
#include "runtime/active.h"

namespace foretrace::instrument {
namespace {

class FunctionInstrumenter {
 public:
  FunctionInstrumenter(llvm::Function& function, const Hooks& hooks, const Describer& describer,
                       const PrivateMemory& private_memory, const SureCode& sure, SiteTable& sites,
                       llvm::FunctionAnalysisManager& manager, bool ignored)
      : function_(function),
        layout_(function.getDataLayout()),
        hooks_(hooks),
        describer_(describer),
        private_memory_(private_memory),
        sites_(sites),
        ignored_(ignored),
        references_(function),
        library_hooks_(hooks, describer, private_memory, sites, quiet_hooks_) {
    if (function.hasOptNone()) return;
    loop_ranges_.emplace(function, manager);
    foreseen_loops_.emplace(function, manager, [this](const llvm::Value* pointer) {
      return !ignored_ && private_memory_.may_be_shared(pointer);
    });
    aliases_ = &manager.getResult<llvm::AAManager>(function);
    sure_ways_.emplace(function, manager, sure);
  }

  void run() {
    for (llvm::BasicBlock& block : function_) collect(block);
    find_ranges();
    for (Access& access : accesses_) find_site(access);
    if (aliases_ != nullptr) join_adjacent(accesses_, *aliases_);
    join_updates();
    if (aliases_ != nullptr) find_update_pairs(accesses_, hooks_, *aliases_);
    std::vector<ReadGroup> groups;
    if (sure_ways_) groups = group_reads(accesses_, *sure_ways_);
    for (const ReadGroup& group : groups) {
      for (const size_t member : group.members) accesses_[member].in_group = true;
      for (const size_t member : group.later) accesses_[member].in_group = true;
    }
    for (const Access& access : accesses_) {
      if (!access.range) insert(access);
    }
    for (const ReadGroup& group : groups) insert(group);
    if (loop_ranges_) insert_ranges();
    for (const auto& [loop, place] : loop_places_) insert_loop(*loop, place);
    for (llvm::Instruction* atomic : atomics_) instrument_atomic(*atomic);
    for (llvm::FenceInst* fence : fences_) instrument_fence(*fence);
    for (llvm::CallBase* call : calls_) instrument_call(*call);
    if (!accesses_.empty() || !atomics_.empty() || has_calls() || has_library_hooks_) {
      insert_entry();
    }
    unchanged_reads_.skip_hooks();
    early_reads_.skip_hooks();
    quiet_hooks_.skip_if_inactive(hooks_.active());
    unchanged_reads_.keep_in_registers();
  }

 private:
  // ---- what to record

  void collect(llvm::BasicBlock& block) {
    // What was accessed since the last point where another thread may have got
    // to know of it: the same again adds nothing.
    llvm::DenseMap<std::pair<const llvm::Value*, uint64_t>, bool> seen;  // true: written
    ++stretch_;
    for (llvm::Instruction& instruction : block) {
      if (!is_quiet(instruction) || may_access_elsewhere(instruction)) ++stretch_;
      if (is_atomic(instruction)) {
        atomics_.push_back(&instruction);
        seen.clear();
      } else if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
                 fence != nullptr && fence->getSyncScopeID() != llvm::SyncScope::SingleThread) {
        fences_.push_back(fence);
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        collect_access({load, load->getPointerOperand(), size_of(load->getType()), false}, seen);
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        const uint64_t bytes = size_of(store->getValueOperand()->getType());
        collect_access({store, store->getPointerOperand(), bytes, true}, seen);
      } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (!call->isInlineAsm()) calls_.push_back(call);
        if (!library_accesses(*call).empty()) ++stretch_;
        if (may_synchronise(*call)) seen.clear();
      }
    }
  }

  // In a function that is called: what is accessed there may depend on what was read before.
  static bool may_access_elsewhere(const llvm::Instruction& instruction) {
    return llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction) &&
           instruction.mayReadOrWriteMemory();
  }

  void collect_access(const Access& access,
                      llvm::DenseMap<std::pair<const llvm::Value*, uint64_t>, bool>& seen) {
    if (ignored_ || access.bytes == 0 || !private_memory_.may_be_shared(access.pointer)) return;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(access.instruction);
    if (load != nullptr && is_left_out(*load)) return;
    const auto [known, is_new] = seen.try_emplace({access.pointer, access.bytes}, access.write);
    if (!is_new && (known->second || !access.write)) return;
    known->second |= access.write;
    accesses_.push_back(access);
    accesses_.back().stretch = stretch_;
  }

  // A reference that steers a loop is checked all the same: it may be that of another object.
  bool is_left_out(const llvm::LoadInst& load) const {
    if (load.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return true;
    return references_.is_constant(load) && !(foreseen_loops_ && foreseen_loops_->steers(load));
  }

  void find_ranges() {
    if (!loop_ranges_) return;
    for (Access& access : accesses_) {
      access.range = loop_ranges_->range_of(*access.instruction, access.pointer, access.bytes);
    }
    to_compare_ = keep_order_of_ranges(
        accesses_, calls_, *loop_ranges_,
        [&](const llvm::Instruction& read) { return foreseen_loops_->steers(read); });
  }

  // x += 1 reads and writes x at one site: its hook is between the two, as theirs would be.
  void join_updates() {
    std::vector<Access> joined;
    for (const Access& access : accesses_) {
      if (joined.empty() || !is_update(joined.back(), access)) {
        joined.push_back(access);
        continue;
      }
      joined.back() = access;
      joined.back().updates = true;
    }
    accesses_ = std::move(joined);
  }

  bool is_update(const Access& read, const Access& write) const {
    return !read.write && write.write && read.stretch == write.stretch && read.site == write.site &&
           read.pointer == write.pointer && read.offset == write.offset &&
           read.bytes == write.bytes && !read.range && !write.range && !read.steers &&
           hooks_.update(write.bytes);
  }

  uint64_t size_of(llvm::Type* type) const {
    const llvm::TypeSize size = layout_.getTypeStoreSize(type);
    return size.isScalable() ? 0 : size.getFixedValue();
  }

  // Of functions, which may themselves record or call what does.
  bool has_calls() const {
    return llvm::any_of(
        calls_, [](const llvm::CallBase* call) { return !llvm::isa<llvm::IntrinsicInst>(call); });
  }

  // ---- what to insert

  // Tells the runtime where the function will return to.
  void insert_entry() {
    llvm::BasicBlock& block = function_.getEntryBlock();
    llvm::IRBuilder<> builder(&block, block.getFirstNonPHIOrDbgOrAlloca());
    if (const llvm::DISubprogram* const place = function_.getSubprogram()) {
      builder.SetCurrentDebugLocation(
          llvm::DILocation::get(function_.getContext(), place->getScopeLine(), 0,
                                const_cast<llvm::DISubprogram*>(place)));
    }
    llvm::Value* const caller =
        function_.getName() == "main"
            ? llvm::ConstantPointerNull::get(builder.getPtrTy())
            : static_cast<llvm::Value*>(builder.CreateIntrinsic(
                  builder.getPtrTy(), llvm::Intrinsic::returnaddress, {builder.getInt32(0)}));
    llvm::Value* const return_place =
        builder.CreateIntrinsic(llvm::Intrinsic::addressofreturnaddress,
                                llvm::ArrayRef<llvm::Type*>(builder.getPtrTy()), {});
    quiet_hooks_.call(builder, hooks_.entry(), {caller, return_place});
  }

  llvm::Constant* site_of(const llvm::Instruction& instruction, const llvm::Value* pointer) {
    return sites_.site_of(
        instruction,
        pointer != nullptr ? describer_.describe_noted(instruction, pointer) : Description(), {});
  }

  // A read that steers a loop has the site of one that is in none: what follows may
  // depend on it.
  void find_site(Access& access) {
    SiteTable::InLoop in_loop;
    if (foreseen_loops_ && !access.range) {
      access.steers = foreseen_loops_->steers(*access.instruction);
      if (!access.steers) in_loop = loop_of(*access.instruction);
      access.in_loop = in_loop.loop != nullptr;
      access.foreseen = in_loop.is_foreseen;
    }
    access.covered = !access.range && !access.steers && private_memory_.is_covered(access.pointer);
    access.site =
        sites_.site_of(*access.instruction,
                       describer_.describe_noted(*access.instruction, access.pointer), in_loop);
  }

  SiteTable::InLoop loop_of(const llvm::Instruction& access) {
    const llvm::Loop* const loop = foreseen_loops_->loop_of(access);
    if (loop == nullptr) return {};
    const auto [known, is_new] = loop_places_.try_emplace(loop, nullptr);
    if (is_new) known->second = sites_.new_loop();
    return {known->second, foreseen_loops_->is_foreseen(access)};
  }

  void insert_loop(const llvm::Loop& loop, llvm::Constant* place) {
    llvm::IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
    quiet_hooks_.call(builder, hooks_.loop(), {place});
  }

  // Writes are recorded before they are made, reads after: so a read that saw a
  // write is recorded after it, however long the threads pause in between.
  void insert(const Access& access) {
    llvm::IRBuilder<> builder(access.instruction);
    if (!access.write) {
      builder.SetInsertPoint(access.instruction->getNextNode());
      builder.SetCurrentDebugLocation(access.instruction->getDebugLoc());
    }
    llvm::Value* pointer = access.pointer;
    if (access.offset != 0) {
      pointer =
          builder.CreatePtrAdd(pointer, builder.getInt64(static_cast<uint64_t>(access.offset)));
    }
    if (access.updates) {
      quiet_hooks_.call(builder, hooks_.update(access.bytes, access.foreseen),
                        {pointer, access.site});
    } else if (access.steers) {
      llvm::CallInst& hook = quiet_hooks_.call(
          builder, hooks_.steering_read(), {pointer, builder.getInt64(access.bytes), access.site});
      unchanged_reads_.add(hook, llvm::cast<llvm::LoadInst>(*access.instruction),
                           *foreseen_loops_->loop_of(*access.instruction));
    } else {
      // Behind each of these reads threads are steered, but the recorder does not need to look.
      std::optional<uint8_t> when;
      if (access.in_group || access.covered || access.in_pair || access.pair) {
        when = runtime::kSteering;
      }
      if (access.pair) insert_pair(builder, accesses_[*access.pair], access, pointer);
      if (llvm::FunctionCallee hook = hooks_.access(access.write, access.bytes, access.foreseen)) {
        quiet_hooks_.call(builder, hook, {pointer, access.site}, when);
      } else {
        quiet_hooks_.call(builder, hooks_.range(access.write),
                          {pointer, builder.getInt64(access.bytes), access.site}, when);
      }
    }
  }

  // In front of the write.
  void insert_pair(llvm::IRBuilder<>& builder, const Access& read, const Access& write,
                   llvm::Value* pointer) {
    const auto bytes = static_cast<uint32_t>(write.bytes);
    const SiteTable::GroupMember both[] = {{0, bytes, read.site}, {0, bytes, write.site}};
    llvm::Constant* const group = sites_.new_group(both, (uint64_t{1} << bytes) - 1);
    quiet_hooks_.call(builder, hooks_.update_pair(write.bytes, read.foreseen && write.foreseen),
                      {pointer, group}, runtime::kRecording);
  }

  void insert_ranges() {
    RangeHooks ranges(accesses_, calls_, *loop_ranges_, to_compare_, hooks_, sites_, quiet_hooks_);
    for (const Access& access : accesses_) {
      if (!access.if_apart) continue;
      llvm::IRBuilder<> builder(access.write ? access.instruction
                                             : access.instruction->getNextNode());
      builder.SetCurrentDebugLocation(access.instruction->getDebugLoc());
      insert_if(ranges.are_single(access), builder, access);
    }
    ranges.insert();
  }

  void insert_if(llvm::Value* condition, llvm::IRBuilder<>& builder, const Access& access) {
    if (llvm::FunctionCallee hook = hooks_.access(access.write, access.bytes)) {
      quiet_hooks_.call_if(condition, builder, hook, {access.pointer, access.site});
    } else {
      quiet_hooks_.call_if(condition, builder, hooks_.range(access.write),
                           {access.pointer, builder.getInt64(access.bytes), access.site});
    }
  }

  void insert(const ReadGroup& group) {
    const Access& last = accesses_[group.members.back()];
    llvm::IRBuilder<> builder(last.instruction->getNextNode());
    builder.SetCurrentDebugLocation(last.instruction->getDebugLoc());
    for (const size_t member : group.later) insert_early(accesses_[member], group.base, builder);
    llvm::SmallVector<SiteTable::GroupMember, 8> members;
    for (const size_t member : llvm::concat<const size_t>(group.members, group.later)) {
      const Access& access = accesses_[member];
      members.push_back({static_cast<uint32_t>(place_of(access).offset - group.offset),
                         static_cast<uint32_t>(access.bytes), access.site});
    }
    llvm::Value* const first =
        builder.CreatePtrAdd(group.base, builder.getInt64(static_cast<uint64_t>(group.offset)));
    quiet_hooks_.call(
        builder, hooks_.read_group(),
        {first, builder.getInt64(group.bytes), sites_.new_group(members, group.bytes)},
        runtime::kRecording);
  }

  // Reads now what is read later, and has that recorded only if it is not the same.
  void insert_early(const Access& access, llvm::Value* base, llvm::IRBuilder<>& builder) {
    auto& load = llvm::cast<llvm::LoadInst>(*access.instruction);
    const auto offset = static_cast<uint64_t>(place_of(access).offset);
    llvm::LoadInst* const early = builder.CreateAlignedLoad(
        load.getType(), builder.CreatePtrAdd(base, builder.getInt64(offset)), load.getAlign());
    llvm::IRBuilder<> behind(load.getNextNode());
    behind.SetCurrentDebugLocation(load.getDebugLoc());
    llvm::CallInst& hook =
        quiet_hooks_.call(behind, hooks_.access(false, access.bytes),
                          {load.getPointerOperand(), access.site}, runtime::kRecording);
    early_reads_.add(hook, load, *early);
  }

  void instrument_atomic(llvm::Instruction& instruction) {
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    llvm::Type* type = nullptr;
    llvm::FunctionCallee end;
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      pointer = update->getPointerOperand();
      type = update->getValOperand()->getType();
      end = hooks_.atomic_update();
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      pointer = exchange->getPointerOperand();
      type = exchange->getNewValOperand()->getType();
      end = hooks_.atomic_exchange();
    } else {
      type = llvm::getLoadStoreType(&instruction);
      end = llvm::isa<llvm::LoadInst>(instruction) ? hooks_.atomic_read() : hooks_.atomic_write();
    }
    if (!private_memory_.may_be_shared(pointer) || size_of(type) > 16) return;
    llvm::IRBuilder<> builder(&instruction);
    llvm::Value* const lock = builder.CreateCall(hooks_.atomic_begin(), {pointer});
    builder.SetInsertPoint(instruction.getNextNode());
    llvm::SmallVector<llvm::Value*, 5> arguments = {
        lock, pointer,
        builder.getInt32(static_cast<uint32_t>(size_of(type)) | order_of(instruction))};
    if (llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) {
      llvm::Value* const succeeded = builder.CreateExtractValue(&instruction, 1);
      arguments.push_back(builder.CreateZExt(succeeded, builder.getInt32Ty()));
    }
    arguments.push_back(site_of(instruction, pointer));
    create_hook_call(builder, end, arguments).setDebugLoc(instruction.getDebugLoc());
  }

  void instrument_fence(llvm::FenceInst& fence) {
    llvm::IRBuilder<> builder(&fence);
    quiet_hooks_.call(builder, hooks_.fence(), {});
  }

  void instrument_call(llvm::CallBase& call) {
    if (!ignored_) has_library_hooks_ |= library_hooks_.insert(call);
    const llvm::Value* pointer = ignored_ ? nullptr : transferred(call);
    if (pointer == nullptr && !is_synchronisation(call) && !is_allocation(call)) return;
    if (is_synchronisation(call) && call.arg_size() > 0 &&
        call.getArgOperand(0)->getType()->isPointerTy()) {
      pointer = call.getArgOperand(0);
    }
    llvm::IRBuilder<> builder(&call);
    quiet_hooks_.call(builder, hooks_.call(), {site_of(call, pointer)});
    // What stands in libc's place is called from here, as a hook is.
    auto* const plain = llvm::dyn_cast<llvm::CallInst>(&call);
    if (plain != nullptr && !plain->isMustTailCall()) {
      plain->setTailCallKind(llvm::CallInst::TCK_NoTail);
    }
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const Hooks& hooks_;
  const Describer& describer_;
  const PrivateMemory& private_memory_;
  SiteTable& sites_;
  std::optional<LoopRanges> loop_ranges_;
  std::optional<ForeseenLoops> foreseen_loops_;
  std::optional<SureWays> sure_ways_;
  llvm::MapVector<const llvm::Loop*, llvm::Constant*> loop_places_;
  llvm::AAResults* aliases_ = nullptr;  // null, as those above, in code that is not optimised
  const bool ignored_;                  // accesses are; its synchronisation is not
  const References references_;
  uint32_t stretch_ = 0;  // of the accesses that are collected
  std::vector<Access> accesses_;
  RangesToCompare to_compare_;
  std::vector<llvm::Instruction*> atomics_;
  std::vector<llvm::FenceInst*> fences_;
  std::vector<llvm::CallBase*> calls_;
  bool has_library_hooks_ = false;  // of what a call itself, or memset and the like, accesses
  QuietHooks quiet_hooks_;
  LibraryHooks library_hooks_;
  UnchangedReads unchanged_reads_;
  EarlyReads early_reads_;
};

}  // namespace

llvm::PreservedAnalyses InstrumentPass::run(llvm::Module& module,
                                            llvm::ModuleAnalysisManager& manager) {
  llvm::FunctionAnalysisManager& functions =
      manager.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  const Hooks hooks(module);
  const Describer describer(module);
  const IgnoreList ignore_list;
  const SectionPoints section_points;
  for (llvm::Function& function : module) {
    if (!function.hasOptNone() && !section_points.exist()) make_small_copies_accesses(function);
  }
  const PrivateMemory private_memory(module, [&](const llvm::Function& function) {
    return !section_points.exist() && !ignore_list.covers(function);
  });
  const SureCode sure(module, private_memory);
  SiteTable sites(module);
  for (llvm::Function& function : module) {
    // The linker takes one that is available elsewhere from there.
    if (function.isDeclarationForLinker() || is_left_alone(function)) continue;
    if (section_points.exist()) {
      insert_section_hooks(function, section_points, hooks, describer, private_memory, sites);
      continue;
    }
    const bool ignored = ignore_list.covers(function);
    FunctionInstrumenter(function, hooks, describer, private_memory, sure, sites, functions,
                         ignored)
        .run();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace foretrace::instrument
