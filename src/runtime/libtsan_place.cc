// Functions that the runtime has no interest in. A program that was linked with
// libtsan.so asks for them without a version, and libc would answer with its
// oldest one, which for some is another structure or another behaviour:
// conditions would hang. So they are handed on to the version of today.
#include <cstdlib>

#include <glob.h>
#include <pthread.h>
#include <regex.h>
#include <spawn.h>
#include <stdio.h>

#include "runtime/next_function.h"
#include "runtime/real.h"

#define FORETRACE_HAND_ON(version, result, name, parameters, arguments) \
  FORETRACE_INTERCEPT result name parameters {                          \
    FORETRACE_NEXT_FUNCTION(handed, #name, version);                    \
    return handed.get<result parameters>() arguments;                   \
  }

FORETRACE_HAND_ON("GLIBC_2.3.2", int, pthread_cond_init,
                  (pthread_cond_t * condition, const pthread_condattr_t* attributes),
                  (condition, attributes))
FORETRACE_HAND_ON("GLIBC_2.3.2", int, pthread_cond_destroy, (pthread_cond_t * condition),
                  (condition))
FORETRACE_HAND_ON("GLIBC_2.3", char*, realpath, (const char* path, char* resolved),
                  (path, resolved))
FORETRACE_HAND_ON("GLIBC_2.3.4", int, regexec,
                  (const regex_t* pattern, const char* text, size_t count, regmatch_t* matches,
                   int flags),
                  (pattern, text, count, matches, flags))
FORETRACE_HAND_ON("GLIBC_2.22", FILE*, fmemopen, (void* memory, size_t bytes, const char* mode),
                  (memory, bytes, mode))
FORETRACE_HAND_ON("GLIBC_2.15", int, posix_spawn,
                  (pid_t * pid, const char* path, const posix_spawn_file_actions_t* actions,
                   const posix_spawnattr_t* attributes, char* const* words, char* const* variables),
                  (pid, path, actions, attributes, words, variables))
FORETRACE_HAND_ON("GLIBC_2.15", int, posix_spawnp,
                  (pid_t * pid, const char* file, const posix_spawn_file_actions_t* actions,
                   const posix_spawnattr_t* attributes, char* const* words, char* const* variables),
                  (pid, file, actions, attributes, words, variables))
FORETRACE_HAND_ON("GLIBC_2.27", int, glob,
                  (const char* pattern, int flags, int (*failed)(const char*, int), glob_t* found),
                  (pattern, flags, failed, found))
FORETRACE_HAND_ON("GLIBC_2.27", int, glob64,
                  (const char* pattern, int flags, int (*failed)(const char*, int),
                   glob64_t* found),
                  (pattern, flags, failed, found))

// libc has these in a part that is linked statically, libtsan does not.
extern "C" int __cxa_atexit(void (*)(void*), void*, void*);
FORETRACE_INTERCEPT int atexit(void (*body)()) {
  return __cxa_atexit(reinterpret_cast<void (*)(void*)>(body), nullptr, nullptr);
}
