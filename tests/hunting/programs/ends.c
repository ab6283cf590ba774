// Ends in the way that its argument says.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int shared;

static void* a_then_b(void* unused) {
  pthread_mutex_lock(&a);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&b);
  ++shared;
  return unused;
}
static void* b_then_a(void* unused) {
  pthread_mutex_lock(&b);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&a);
  ++shared;
  return unused;
}

static void stay(void) {
  for (;;) sleep(1);
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "well";
  ++shared;
  if (strcmp(how, "deadlock") == 0) {
    pthread_t first;
    pthread_t second;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&first, NULL, a_then_b, NULL);
    pthread_create(&second, NULL, b_then_a, NULL);
    pthread_join(first, NULL);
  } else if (strcmp(how, "crash") == 0) {
    raise(SIGSEGV);
  } else if (strcmp(how, "forks") == 0) {
    if (fork() == 0) stay();
  } else if (strcmp(how, "daemon") == 0) {
    if (daemon(1, 1) == 0) stay();
  } else if (strcmp(how, "twice") == 0) {  // a daemon of the old school
    if (fork() == 0) {
      setsid();
      signal(SIGTERM, SIG_IGN);
      signal(SIGHUP, SIG_IGN);
      if (fork() == 0) stay();
    }
  } else if (strcmp(how, "terminal") == 0) {
    FILE* terminal = fopen("/dev/tty", "r");
    char line[16];
    if (terminal != NULL && fgets(line, sizeof line, terminal) != NULL) return 7;
    return fgets(line, sizeof line, stdin) == NULL ? 0 : 8;
  } else if (strcmp(how, "forever") == 0) {
    stay();
  }
  return 0;
}
