/* What a program can tell Foretrace about itself, in C and C++. Without
 * Foretrace (its compilers define FORETRACE) all of this is nothing.
 *
 *   FORETRACE_UNIT("transfer");           the rest of the scope should be atomic (C++)
 *   FORETRACE_UNIT_BEGIN("transfer");     the same, up to
 *   FORETRACE_UNIT_END();                 the end of the innermost unit
 *   FORETRACE_ATOMIC("transfer");         the rest of the scope is atomic, by means that Foretrace
 *                                         does not know (a transaction of a library, say): a unit
 *                                         when it runs, and for `foretrace lint` a transaction
 *   FORETRACE_ATOMIC_FUNCTION             before a function's declaration: lint takes its whole
 *                                         body as a transaction
 *   FORETRACE_HAPPENS_BEFORE(&object);    what comes before this is ordered before
 *   FORETRACE_HAPPENS_AFTER(&object);     what comes after a later one of these
 *   FORETRACE_ATOMIC_SET("account", &object, sizeof object);
 *                                         these bytes share a consistency property: units
 *                                         that touch them should see them unchanged by others
 *   FORETRACE_BENIGN_RACE(&x, sizeof x);  races on x are meant: do not report them
 *   FORETRACE_IGNORE_BEGIN();             accesses of this thread are not recorded, up to
 *   FORETRACE_IGNORE_END();
 *   FORETRACE_HIDE_BEGIN();               nothing of this thread is recorded, neither accesses
 *   FORETRACE_HIDE_END();                 nor synchronisation, up to here
 *   FORETRACE_WAIT_BEGIN(&condition, &m); a wait that is hidden or not seen: m is given back,
 *   FORETRACE_WAIT_END(&m);               and here the thread has it again
 *   FORETRACE_BARRIER(&barrier);          arrival at a barrier that is hidden or not seen
 */
#ifndef FORETRACE_ANNOTATE_H
#define FORETRACE_ANNOTATE_H

#ifdef FORETRACE_LINT
#define FORETRACE_ATOMIC(name) __FT_TM__
#define FORETRACE_ATOMIC_FUNCTION __attribute__((annotate("foretrace::atomic")))
#else
#define FORETRACE_ATOMIC(name) FORETRACE_UNIT(name)
#define FORETRACE_ATOMIC_FUNCTION
#endif

#ifdef FORETRACE

#ifdef __cplusplus
extern "C" {
#endif
void __foretrace_unit_begin(unsigned* label, const char* name);
void __foretrace_unit_end(void);
void __foretrace_happens_before(const volatile void* object);
void __foretrace_happens_after(const volatile void* object);
void __foretrace_atomic_set(const char* name, const volatile void* object, unsigned long bytes);
void __foretrace_benign_race(const volatile void* object, unsigned long bytes);
void __foretrace_ignore_begin(void);
void __foretrace_ignore_end(void);
void __foretrace_hide_begin(void);
void __foretrace_hide_end(void);
void __foretrace_wait_begin(const volatile void* condition, const volatile void* mutex);
void __foretrace_wait_end(const volatile void* mutex);
void __foretrace_barrier(const volatile void* barrier);
#ifdef __cplusplus
}
#endif

#define FORETRACE_UNIT_BEGIN(name)                  \
  do {                                              \
    static unsigned foretrace_label;                \
    __foretrace_unit_begin(&foretrace_label, name); \
  } while (0)
#define FORETRACE_UNIT_END() __foretrace_unit_end()
#define FORETRACE_HAPPENS_BEFORE(object) __foretrace_happens_before(object)
#define FORETRACE_HAPPENS_AFTER(object) __foretrace_happens_after(object)
#define FORETRACE_ATOMIC_SET(name, object, bytes) __foretrace_atomic_set(name, object, bytes)
#define FORETRACE_BENIGN_RACE(object, bytes) __foretrace_benign_race(object, bytes)
#define FORETRACE_IGNORE_BEGIN() __foretrace_ignore_begin()
#define FORETRACE_IGNORE_END() __foretrace_ignore_end()
#define FORETRACE_HIDE_BEGIN() __foretrace_hide_begin()
#define FORETRACE_HIDE_END() __foretrace_hide_end()
#define FORETRACE_WAIT_BEGIN(condition, mutex) __foretrace_wait_begin(condition, mutex)
#define FORETRACE_WAIT_END(mutex) __foretrace_wait_end(mutex)
#define FORETRACE_BARRIER(barrier) __foretrace_barrier(barrier)

#ifdef __cplusplus
namespace foretrace {
/* A unit as long as the scope. */
class Unit {
 public:
  Unit(unsigned* label, const char* name) { __foretrace_unit_begin(label, name); }
  ~Unit() { __foretrace_unit_end(); }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
};
}  // namespace foretrace
#define FORETRACE_JOIN_(a, b) a##b
#define FORETRACE_JOIN(a, b) FORETRACE_JOIN_(a, b)
#define FORETRACE_UNIT(name)                                         \
  static unsigned FORETRACE_JOIN(foretrace_label_, __LINE__);        \
  const ::foretrace::Unit FORETRACE_JOIN(foretrace_unit_, __LINE__)( \
      &FORETRACE_JOIN(foretrace_label_, __LINE__), name)
#endif

#else

#define FORETRACE_UNIT(name) ((void)0)
#define FORETRACE_UNIT_BEGIN(name) ((void)0)
#define FORETRACE_UNIT_END() ((void)0)
#define FORETRACE_HAPPENS_BEFORE(object) ((void)0)
#define FORETRACE_HAPPENS_AFTER(object) ((void)0)
#define FORETRACE_ATOMIC_SET(name, object, bytes) ((void)0)
#define FORETRACE_BENIGN_RACE(object, bytes) ((void)0)
#define FORETRACE_IGNORE_BEGIN() ((void)0)
#define FORETRACE_IGNORE_END() ((void)0)
#define FORETRACE_HIDE_BEGIN() ((void)0)
#define FORETRACE_HIDE_END() ((void)0)
#define FORETRACE_WAIT_BEGIN(condition, mutex) ((void)0)
#define FORETRACE_WAIT_END(mutex) ((void)0)
#define FORETRACE_BARRIER(barrier) ((void)0)

#endif
#endif
