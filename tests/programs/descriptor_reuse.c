// A table by the numbers of open files: the kernel hands a number out again only when
// it was closed, so nobody else uses the entry.
// expect none
#include <pthread.h>
#include <unistd.h>

static int users[1024];

static void* work(void* unused) {
  for (int i = 0; i < 200; ++i) {
    const int descriptor = dup(0);
    if (descriptor < 0 || descriptor >= 1024) return unused;
    ++users[descriptor];
    close(descriptor);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
