// What else libtsan exports and programs use: its annotations and its interface
// for locks that the program makes itself (sanitizer/tsan_interface.h).
#include <cstdlib>

#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// As in sanitizer/tsan_interface.h.
constexpr unsigned kReadLock = 1U << 3;
constexpr unsigned kTryLock = 1U << 4;
constexpr unsigned kTryLockFailed = 1U << 5;

Kind lock_kind(unsigned flags) {
  if ((flags & kTryLock) != 0) {
    return (flags & kReadLock) != 0 ? Kind::try_lock_shared : Kind::try_lock;
  }
  return (flags & kReadLock) != 0 ? Kind::lock_shared : Kind::lock;
}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

// Of annotations.cc.
extern "C" {
void __foretrace_happens_before(const volatile void* object);
void __foretrace_happens_after(const volatile void* object);
void __foretrace_benign_race(const volatile void* object, unsigned long bytes);
void __foretrace_ignore_begin();
void __foretrace_ignore_end();
}

FORETRACE_INTERCEPT void __tsan_acquire(void* object) { __foretrace_happens_after(object); }
FORETRACE_INTERCEPT void __tsan_release(void* object) { __foretrace_happens_before(object); }
FORETRACE_INTERCEPT void __tsan_ignore_thread_begin() { __foretrace_ignore_begin(); }
FORETRACE_INTERCEPT void __tsan_ignore_thread_end() { __foretrace_ignore_end(); }

FORETRACE_INTERCEPT void __tsan_mutex_create(void* /*mutex*/, unsigned /*flags*/) {}
FORETRACE_INTERCEPT void __tsan_mutex_destroy(void* mutex, unsigned /*flags*/) {
  record_sync(Kind::lock_gone, mutex);
}
// What the lock does inside is its own business.
FORETRACE_INTERCEPT void __tsan_mutex_pre_lock(void* /*mutex*/, unsigned /*flags*/) {
  ++self.ignoring;
}
FORETRACE_INTERCEPT void __tsan_mutex_post_lock(void* mutex, unsigned flags, int /*recursion*/) {
  const CallPlace place(__builtin_return_address(0));
  __foretrace_ignore_end();
  if ((flags & kTryLockFailed) == 0) record_sync(lock_kind(flags), mutex);
}
FORETRACE_INTERCEPT int __tsan_mutex_pre_unlock(void* mutex, unsigned /*flags*/) {
  const CallPlace place(__builtin_return_address(0));
  record_sync(Kind::unlock, mutex);
  ++self.ignoring;
  return 0;
}
FORETRACE_INTERCEPT void __tsan_mutex_post_unlock(void* /*mutex*/, unsigned /*flags*/) {
  __foretrace_ignore_end();
}
FORETRACE_INTERCEPT void __tsan_mutex_pre_signal(void* /*object*/, unsigned /*flags*/) {
  ++self.ignoring;
}
FORETRACE_INTERCEPT void __tsan_mutex_post_signal(void* /*object*/, unsigned /*flags*/) {
  __foretrace_ignore_end();
}
FORETRACE_INTERCEPT void __tsan_mutex_pre_divert(void* /*object*/, unsigned /*flags*/) {
  __foretrace_ignore_end();
}
FORETRACE_INTERCEPT void __tsan_mutex_post_divert(void* /*object*/, unsigned /*flags*/) {
  ++self.ignoring;
}

// ---- Annotate…: file and line come first

#define FORETRACE_ANNOTATION(name, ...) \
  FORETRACE_INTERCEPT void name(const char* /*file*/, int /*line*/, ##__VA_ARGS__)

FORETRACE_ANNOTATION(AnnotateHappensBefore, void* object) { __foretrace_happens_before(object); }
FORETRACE_ANNOTATION(AnnotateHappensAfter, void* object) { __foretrace_happens_after(object); }
FORETRACE_ANNOTATION(WTFAnnotateHappensBefore, void* object) { __foretrace_happens_before(object); }
FORETRACE_ANNOTATION(WTFAnnotateHappensAfter, void* object) { __foretrace_happens_after(object); }
FORETRACE_ANNOTATION(AnnotateBenignRaceSized, const void* object, unsigned long bytes,
                     const char* /*why*/) {
  __foretrace_benign_race(object, bytes);
}
FORETRACE_ANNOTATION(WTFAnnotateBenignRaceSized, const void* object, unsigned long bytes,
                     const char* /*why*/) {
  __foretrace_benign_race(object, bytes);
}
FORETRACE_ANNOTATION(AnnotateBenignRace, const void* object, const char* /*why*/) {
  __foretrace_benign_race(object, 1);
}
FORETRACE_ANNOTATION(AnnotateIgnoreReadsBegin) { __foretrace_ignore_begin(); }
FORETRACE_ANNOTATION(AnnotateIgnoreReadsEnd) { __foretrace_ignore_end(); }
FORETRACE_ANNOTATION(AnnotateIgnoreWritesBegin) { __foretrace_ignore_begin(); }
FORETRACE_ANNOTATION(AnnotateIgnoreWritesEnd) { __foretrace_ignore_end(); }
FORETRACE_ANNOTATION(AnnotateThreadName, const char* name) { name_thread(name); }
FORETRACE_ANNOTATION(AnnotateRWLockAcquired, void* lock, long is_writer) {
  record_sync(is_writer != 0 ? Kind::lock : Kind::lock_shared, lock);
}
FORETRACE_ANNOTATION(AnnotateRWLockReleased, void* lock, long /*is_writer*/) {
  record_sync(Kind::unlock, lock);
}
FORETRACE_ANNOTATION(AnnotateRWLockDestroy, void* lock) { record_sync(Kind::lock_gone, lock); }
// These say nothing that a trace has.
FORETRACE_ANNOTATION(AnnotateRWLockCreate, void*) {}
FORETRACE_ANNOTATION(AnnotateRWLockCreateStatic, void*) {}
FORETRACE_ANNOTATION(AnnotateIgnoreSyncBegin) {}
FORETRACE_ANNOTATION(AnnotateIgnoreSyncEnd) {}
FORETRACE_ANNOTATION(AnnotateCondVarSignal, void*) {}
FORETRACE_ANNOTATION(AnnotateCondVarSignalAll, void*) {}
FORETRACE_ANNOTATION(AnnotateCondVarWait, void*, void*) {}
FORETRACE_ANNOTATION(AnnotateEnableRaceDetection, int) {}
FORETRACE_ANNOTATION(AnnotateExpectRace, void*, const char*) {}
FORETRACE_ANNOTATION(AnnotateFlushExpectedRaces) {}
FORETRACE_ANNOTATION(AnnotateFlushState) {}
FORETRACE_ANNOTATION(AnnotateMemoryIsInitialized, void*, unsigned long) {}
FORETRACE_ANNOTATION(AnnotateMemoryIsUninitialized, void*, unsigned long) {}
FORETRACE_ANNOTATION(AnnotateMutexIsNotPHB, void*) {}
FORETRACE_ANNOTATION(AnnotateMutexIsUsedAsCondVar, void*) {}
FORETRACE_ANNOTATION(AnnotateNewMemory, void*, unsigned long) {}
FORETRACE_ANNOTATION(AnnotateNoOp, void*) {}
FORETRACE_ANNOTATION(AnnotatePCQCreate, void*) {}
FORETRACE_ANNOTATION(AnnotatePCQDestroy, void*) {}
FORETRACE_ANNOTATION(AnnotatePCQGet, void*) {}
FORETRACE_ANNOTATION(AnnotatePCQPut, void*) {}
FORETRACE_ANNOTATION(AnnotatePublishMemoryRange, void*, unsigned long) {}
FORETRACE_ANNOTATION(AnnotateUnpublishMemoryRange, void*, unsigned long) {}
FORETRACE_ANNOTATION(AnnotateTraceMemory, void*) {}
FORETRACE_INTERCEPT int RunningOnValgrind() { return 0; }
FORETRACE_INTERCEPT double ValgrindSlowdown() { return 10; }
FORETRACE_INTERCEPT const char* ThreadSanitizerQuery(const char* /*query*/) { return "0"; }
FORETRACE_INTERCEPT void __tsan_flush_memory() {}
FORETRACE_INTERCEPT void __sanitizer_print_stack_trace() {}
