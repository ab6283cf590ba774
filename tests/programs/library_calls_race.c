// Calls of libc that code with the hooks of any compiler makes.
// expect race: data-race compared*
// expect race: data-race appended*
// expect race: data-race searched*
// expect race: data-race line*
// expect race: data-race block*
// expect race: data-race sent*
// expect race: data-race printed*
// expect race: data-race within*
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static char compared[16] = "word";
static char appended[16] = "one";
static char searched[16] = "searched";
static char line[64];
static char block[64];
static char sent[64];
static char printed[16];
static char within[16];
static const char* volatile words = "word";
static volatile int number = 12345;

static void* work(void* unused) {
  FILE* const file = fopen("/proc/self/maps", "r");
  FILE* const sink = fopen("/dev/null", "w");
  int failures = strcasecmp(compared, words) != 0;
  strncat(appended, words, 3);
  failures += memchr(searched, words[3], sizeof searched) == 0;
  failures += fgets(line, sizeof line, file) == 0;
  failures += fread(block, 2, 32, file) != 32;
  failures += fwrite(sent, 4, 16, sink) != 16;
  failures += sprintf(printed, "%d", number) != 5;
  failures += snprintf(within, 4, "%d", number) != 5;
  return failures == 0 ? unused : "failed";
}

int main(void) {
  pthread_t thread;
  void* failed;
  pthread_create(&thread, 0, work, 0);
  compared[3] = 'D';
  appended[5] = 'x';
  searched[5] = 'x';
  line[0] = 'x';
  block[63] = 'x';
  sent[63] = 'x';
  printed[5] = 'x';
  within[3] = '\0';
  pthread_join(thread, &failed);
  return failed != 0;
}
