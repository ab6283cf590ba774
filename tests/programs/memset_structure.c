// A structure that memset clears as a whole is not named after its first member.
// expect hb: data-race state
// compilers: plugin static
#include <pthread.h>
#include <string.h>

static struct {
  long first;
  long second;
  long others[8];
} state;

static void* count(void* unused) {
  ++state.second;
  return unused;
}

int main(void) {
  memset(&state, 0, sizeof state);
  pthread_t one, two;
  pthread_create(&one, NULL, count, NULL);
  pthread_create(&two, NULL, count, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
