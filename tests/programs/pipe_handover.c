// What was written before a byte goes into a pipe is read by who takes it out: a pipe,
// both ends of which are copied, and the end of the file.
// expect none
#include <pthread.h>
#include <unistd.h>

static int job;
static int result;
static int jobs[2];
static int results[2];

static void* work(void* unused) {
  char byte;
  if (read(jobs[0], &byte, 1) != 1) return unused;
  result = job + 1;
  close(results[1]);  // who reads finds the end
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte = 1;
  if (pipe(jobs) != 0 || pipe(results) != 0) return 1;
  const int copy = dup(jobs[1]);
  pthread_create(&thread, 0, work, 0);
  job = 1;
  if (write(copy, &byte, 1) != 1) return 1;
  if (read(results[0], &byte, 1) != 0) return 1;
  if (result != 2) return 1;
  pthread_detach(thread);
  return 0;
}
