// C11's threads, mutexes and conditions.
// expect none
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int ready;
static int value;

static void make(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
}

static int consume(void* unused) {
  (void)unused;
  call_once(&once, make);
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&changed, &mutex);
  ++value;
  mtx_unlock(&mutex);
  return 7;
}

int main(void) {
  thrd_t thread;
  int result = 0;
  thrd_create(&thread, consume, 0);
  call_once(&once, make);
  mtx_lock(&mutex);
  value = 41;
  ready = 1;
  cnd_signal(&changed);
  mtx_unlock(&mutex);
  thrd_join(thread, &result);
  mtx_destroy(&mutex);
  return value != 42 || result != 7;
}
