// Two threads send by one pipe. Who takes it out comes after both, but neither comes
// after the other; and the buffer that one sends is filled by the other.
// expect race: data-race count
// expect race: data-race buffer*
#include <pthread.h>
#include <unistd.h>

static int done[2];
static int count;
static int after_all;
static char buffer[64];

static void* fill(void* unused) {
  ++count;
  ++after_all;
  buffer[0] = 1;
  return write(done[1], "x", 1) == 1 ? unused : 0;
}

static void* show(void* unused) {
  const int nowhere = dup(done[1]);
  ++count;
  return write(nowhere, buffer, 1) == 1 ? unused : 0;
}

int main(void) {
  pthread_t threads[2];
  char bytes[2];
  if (pipe(done) != 0) return 1;
  pthread_create(&threads[0], 0, fill, 0);
  pthread_create(&threads[1], 0, show, 0);
  for (ssize_t got = 0; got < 2;) {
    const ssize_t more = read(done[0], bytes, 2);
    if (more <= 0) return 1;
    got += more;
  }
  ++after_all;
  pthread_detach(threads[0]);
  pthread_detach(threads[1]);
  return 0;
}
