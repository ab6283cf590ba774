// The runtime's hooks, declared in the module that is instrumented.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace foretrace::instrument {

// What a hook of an atomic operation is told of its order (runtime/atomic_order.h).
uint32_t order_of(const llvm::Instruction& atomic);

class Hooks {
 public:
  explicit Hooks(llvm::Module& module);

  // Not zero while hooks have something to do.
  llvm::GlobalVariable* active() const { return active_; }

  // Both are null if the size is none that has a hook of its own.
  llvm::FunctionCallee access(bool write, uint64_t bytes, bool foreseen = false) const;
  llvm::FunctionCallee update(uint64_t bytes, bool foreseen = false) const;
  llvm::FunctionCallee update_pair(uint64_t bytes, bool foreseen) const;
  llvm::FunctionCallee range(bool write) const { return range_[write ? 1 : 0]; }
  llvm::FunctionCallee strided(bool write) const { return strided_[write ? 1 : 0]; }
  llvm::FunctionCallee strided_parts(bool write) const { return strided_parts_[write ? 1 : 0]; }
  llvm::FunctionCallee is_range_written() const { return is_range_written_; }
  llvm::FunctionCallee is_strided_written() const { return is_strided_written_; }
  llvm::FunctionCallee may_reach() const { return may_reach_; }
  llvm::FunctionCallee read_group() const { return read_group_; }
  llvm::FunctionCallee steering_read() const { return steering_read_; }
  llvm::FunctionCallee read_string() const { return read_string_; }
  llvm::FunctionCallee read_number() const { return read_number_; }
  llvm::FunctionCallee compare_string() const { return compare_string_; }
  llvm::FunctionCallee copy_string() const { return copy_string_; }
  llvm::FunctionCallee append_string() const { return append_string_; }
  llvm::FunctionCallee call() const { return call_; }
  llvm::FunctionCallee loop() const { return loop_; }
  llvm::FunctionCallee entry() const { return entry_; }
  llvm::FunctionCallee section_front() const { return section_front_; }
  llvm::FunctionCallee section_behind() const { return section_behind_; }
  llvm::FunctionCallee section_left() const { return section_left_; }
  llvm::FunctionCallee atomic_begin() const { return atomic_begin_; }
  llvm::FunctionCallee atomic_read() const { return atomic_read_; }
  llvm::FunctionCallee atomic_write() const { return atomic_write_; }
  llvm::FunctionCallee atomic_update() const { return atomic_update_; }
  llvm::FunctionCallee atomic_exchange() const { return atomic_exchange_; }
  llvm::FunctionCallee fence() const { return fence_; }

 private:
  llvm::FunctionCallee declare(llvm::Module& module, const std::string& name, llvm::Type* result,
                               llvm::ArrayRef<llvm::Type*> parameters) const;

  llvm::GlobalVariable* active_;
  llvm::FunctionCallee access_[2][5];  // by whether it writes, and log2 of the size
  llvm::FunctionCallee foreseen_[2][5];
  llvm::FunctionCallee update_[2][5];  // by whether it is foreseen
  llvm::FunctionCallee update_pair_[2][5];
  llvm::FunctionCallee range_[2];
  llvm::FunctionCallee strided_[2];
  llvm::FunctionCallee strided_parts_[2];
  llvm::FunctionCallee is_range_written_;
  llvm::FunctionCallee is_strided_written_;
  llvm::FunctionCallee may_reach_;
  llvm::FunctionCallee read_group_;
  llvm::FunctionCallee steering_read_;
  llvm::FunctionCallee read_string_;
  llvm::FunctionCallee read_number_;
  llvm::FunctionCallee compare_string_;
  llvm::FunctionCallee copy_string_;
  llvm::FunctionCallee append_string_;
  llvm::FunctionCallee call_;
  llvm::FunctionCallee loop_;
  llvm::FunctionCallee entry_;
  llvm::FunctionCallee section_front_;
  llvm::FunctionCallee section_behind_;
  llvm::FunctionCallee section_left_;
  llvm::FunctionCallee atomic_begin_;
  llvm::FunctionCallee atomic_read_;
  llvm::FunctionCallee atomic_write_;
  llvm::FunctionCallee atomic_update_;
  llvm::FunctionCallee atomic_exchange_;
  llvm::FunctionCallee fence_;
};

}  // namespace foretrace::instrument
