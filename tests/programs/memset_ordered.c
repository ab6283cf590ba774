// memset before the threads start, and strings under a lock.
// expect none
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char text[64];

static void* work(void* word) {
  pthread_mutex_lock(&mutex);
  strcpy(text, word);
  if (strlen(text) == 0) word = 0;
  pthread_mutex_unlock(&mutex);
  return word;
}

int main(void) {
  pthread_t threads[2];
  memset(text, 0, sizeof text);
  pthread_create(&threads[0], 0, work, "one");
  pthread_create(&threads[1], 0, work, "another");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return text[0] == 0;
}
