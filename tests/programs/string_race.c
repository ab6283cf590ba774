// strcpy and strlen without a lock.
// expect race: data-race *
#include <pthread.h>
#include <string.h>

static char text[64];
static unsigned long length;
// GCC turns strcpy() of a constant into plain instructions without hooks.
static const char* volatile words = "some words";

static void* measure(void* unused) {
  length = strlen(text);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, measure, 0);
  strcpy(text, words);
  pthread_join(thread, 0);
  return length > 63;
}
