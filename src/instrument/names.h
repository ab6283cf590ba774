// Functions that the passes know by name.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace foretrace::instrument {

// Where PreparePass leaves the name of what an instruction accesses.
inline constexpr const char* kNameMetadata = "foretrace.what";

// Names of the standard library's insides tell a user nothing.
bool is_telling(llvm::StringRef what);

// Whether a file belongs to the system or the compiler, not to the program.
bool is_system_file(llvm::StringRef file);

// Whether a function of a system library is known for races (base/library_noise.h): then it
// is shown, and not who called it.
bool is_noisy(llvm::StringRef function);

// Whether the function is not to be touched: its author says so, or it is none
// of the program's.
bool is_left_alone(const llvm::Function& function);

// A call into the operating system's or the language's synchronisation or
// allocation, of which the runtime wants to know the place.
bool is_synchronisation(const llvm::CallBase& call);
bool is_allocation(const llvm::CallBase& call);

// What a call moves to a file or from it, or what says where that is; null for others.
const llvm::Value* transferred(const llvm::CallBase& call);

// Whether a function of a library keeps none of the pointers that it is given: memory that
// nobody else has a pointer to stays the caller's own.
bool keeps_no_pointer(const llvm::Function& function);

// Whether it is an atomic operation. One that only this thread's signal handlers can tell from a
// plain one is none.
bool is_atomic(const llvm::Instruction& instruction);

// Whether a call can synchronise with another thread, as far as is known here.
bool may_synchronise(const llvm::CallBase& call);

// Whether control surely goes on to the next instruction, unseen by other threads.
bool is_quiet(const llvm::Instruction& instruction);

}  // namespace foretrace::instrument
