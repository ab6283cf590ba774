// libc compares, appends to, searches and sorts what another thread writes.
// expect race: data-race compared*
// expect race: data-race other*
// expect race: data-race appended*
// expect race: data-race searched*
// expect race: data-race spanned*
// expect race: data-race tokens*
// expect race: data-race sorted*
// compilers: plugin static
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char compared[16] = "word";
static char other[16] = "wOrd";
static char appended[16] = "one";
static char searched[16] = "searched";
static char spanned[16] = "aab";
static char tokens[16] = "one two";
static int sorted[4] = {4, 3, 2, 1};
static const char* volatile words = "word";

static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void* work(void* unused) {
  char* rest;
  long found = strcmp(compared, words) + strcasecmp(words, other);
  strncat(appended, words, 3);
  found += memchr(searched, 'h', sizeof searched) != 0;
  found += (long)strspn(spanned, "a");
  found += strtok_r(tokens, " ", &rest) != 0;
  qsort(sorted, 4, sizeof sorted[0], by_value);
  return found == 0 ? 0 : unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  compared[3] = 'D';
  other[0] = 'v';
  appended[5] = 'x';
  searched[5] = 'x';
  spanned[2] = 'x';
  tokens[1] = 'x';
  sorted[2] = 7;
  return pthread_join(thread, 0);
}
