// The plugin as Clang 22 loads it: clang++ -fpass-plugin=libforetrace_plugin.so
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "instrument/instrument.h"

namespace {

void register_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(foretrace::instrument::PreparePass());
      });
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
        // Gives loops a place in front of them and one behind.
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::LoopSimplifyPass()));
        passes.addPass(foretrace::instrument::InstrumentPass());
      });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "foretrace", FORETRACE_VERSION, register_passes, nullptr};
}
