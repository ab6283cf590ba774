// Hooks for what calls of libc's functions access.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

#include "instrument/describe.h"
#include "instrument/hooks.h"
#include "instrument/library_calls.h"
#include "instrument/private_memory.h"
#include "instrument/quiet_hooks.h"
#include "instrument/sites.h"

namespace foretrace::instrument {

class LibraryHooks {
 public:
  LibraryHooks(const Hooks& hooks, const Describer& describer, const PrivateMemory& private_memory,
               SiteTable& sites, QuietHooks& quiet_hooks)
      : hooks_(hooks),
        describer_(describer),
        private_memory_(private_memory),
        sites_(sites),
        quiet_hooks_(quiet_hooks) {}

  // In front of the call, or where it has returned. Whether there is something to record.
  bool insert(llvm::CallBase& call);

 private:
  void insert(llvm::CallBase& call, const LibraryAccess& access, llvm::Instruction* place);
  void insert_bytes(llvm::IRBuilder<>& builder, bool write, llvm::Value* pointer,
                    llvm::Value* bytes, llvm::Constant* site);

  const Hooks& hooks_;
  const Describer& describer_;
  const PrivateMemory& private_memory_;
  SiteTable& sites_;
  QuietHooks& quiet_hooks_;
};

}  // namespace foretrace::instrument
