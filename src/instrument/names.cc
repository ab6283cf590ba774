#include "instrument/names.h"

#include <vector>

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/GlobPattern.h>

#include "base/library_noise.h"

namespace foretrace::instrument {
namespace {

llvm::StringRef callee_name(const llvm::CallBase& call) {
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  return callee != nullptr ? callee->getName() : "";
}

}  // namespace

bool is_telling(llvm::StringRef what) {
  const llvm::StringRef name = what.ltrim('*');
  // Names that a program must not use are the library's own.
  const bool is_reserved = name.starts_with("__") ||
                           (name.starts_with("_") && name.size() > 1 && llvm::isUpper(name[1]));
  return !name.empty() && name != "this" && !name.starts_with("std::") && !is_reserved;
}

bool is_system_file(llvm::StringRef file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") ||
         file.contains("/include/c++/") || file.contains("/../include/");
}

bool is_noisy(llvm::StringRef function) {
  static const std::vector<llvm::GlobPattern> patterns = [] {
    std::vector<llvm::GlobPattern> made;
    for (const std::string_view pattern : kNoisyFunctions) {
      made.push_back(llvm::cantFail(llvm::GlobPattern::create(pattern)));
    }
    return made;
  }();
  return llvm::any_of(patterns, [&](const auto& pattern) { return pattern.match(function); });
}

bool is_left_alone(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) ||
         function.hasFnAttribute(llvm::Attribute::Naked) ||
         function.getName().starts_with("__foretrace_") ||
         function.getName().starts_with("asan.module_");
}

bool is_synchronisation(const llvm::CallBase& call) {
  const llvm::StringRef name = callee_name(call);
  for (const char* prefix :
       {"pthread_", "sem_", "mtx_", "cnd_", "thrd_", "_ZNSt6thread15_M_start_thread",
        "_ZNSt6thread4join", "_ZNSt18condition_variable", "_ZNSt22condition_variable_any"}) {
    if (name.starts_with(prefix)) return true;
  }
  return name == "call_once";
}

bool is_allocation(const llvm::CallBase& call) {
  static const llvm::StringSet<> functions = {"malloc",         "calloc",   "realloc",
                                              "aligned_alloc",  "strdup",   "strndup",
                                              "posix_memalign", "memalign", "free"};
  const llvm::StringRef name = callee_name(call);
  return name.starts_with("_Znw") || name.starts_with("_Zna") || name.starts_with("_Zdl") ||
         name.starts_with("_Zda") || functions.contains(name);
}

const llvm::Value* transferred(const llvm::CallBase& call) {
  static const llvm::StringSet<> functions = {
      "read",           "write",           "recv",     "send",         "recvfrom", "sendto",
      "__read_chk",     "readv",           "writev",   "recvmsg",      "sendmsg",  "__recv_chk",
      "__recvfrom_chk", "recvmmsg",        "sendmmsg", "eventfd_read", "mq_send",  "mq_receive",
      "mq_timedsend",   "mq_timedreceive", "msgsnd",   "msgrcv"};
  if (!functions.contains(callee_name(call)) || call.arg_size() < 2) return nullptr;
  const llvm::Value* const bytes = call.getArgOperand(1);
  return bytes->getType()->isPointerTy() ? bytes : nullptr;
}

// None of these stores a pointer into what another pointer points to, either: LLVM would not
// expect to find it there.
bool keeps_no_pointer(const llvm::Function& function) {
  static const llvm::StringSet<> functions = {
      "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
      "_ZNSt18condition_variable10notify_oneEv",
      "_ZNSt18condition_variable10notify_allEv",
      "_ZNSt6thread4joinEv",
      "_ZNSt6thread6detachEv",
      "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
      "pthread_cond_wait",
      "pthread_cond_timedwait",
      "pthread_cond_clockwait",
      "pthread_cond_signal",
      "pthread_cond_broadcast",
      "pthread_mutex_lock",
      "pthread_mutex_trylock",
      "pthread_mutex_timedlock",
      "pthread_mutex_clocklock",
      "pthread_mutex_unlock",
      "pthread_join",
      "sem_wait",
      "sem_trywait",
      "sem_timedwait",
      "sem_post",
      "nanosleep",
      "clock_nanosleep",
      "clock_gettime",
      "gettimeofday",
  };
  return function.isDeclaration() && functions.contains(function.getName());
}

bool is_atomic(const llvm::Instruction& instruction) {
  if (!instruction.isAtomic() || llvm::isa<llvm::FenceInst>(instruction)) return false;
  return llvm::getAtomicSyncScopeID(&instruction) != llvm::SyncScope::SingleThread;
}

bool may_synchronise(const llvm::CallBase& call) {
  if (llvm::isa<llvm::IntrinsicInst>(call)) return false;
  return !call.hasFnAttr(llvm::Attribute::NoSync) && !call.doesNotAccessMemory();
}

bool is_quiet(const llvm::Instruction& instruction) {
  if (instruction.isAtomic()) return false;
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return true;
  return !call->isInlineAsm() && !may_synchronise(*call) && call->doesNotThrow() &&
         call->willReturn();
}

}  // namespace foretrace::instrument
