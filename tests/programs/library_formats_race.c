// printf() and scanf() access what their formats say.
// expect race: data-race printed*
// expect race: data-race within*
// expect race: data-race shown*
// expect race: data-race precise*
// expect race: data-race text*
// expect race: data-race number*
// expect race: data-race word*
// compilers: plugin static
#include <pthread.h>
#include <stdio.h>

static char printed[16];
static char within[16];
static char shown[16] = "shown";
static char precise[16] = "precise";
static char text[16] = "one 2";
static long number;
static char word[16];

static void* work(void* unused) {
  char line[32];
  int count = sprintf(printed, "%d", 12345);
  count += snprintf(within, 4, "%d", 12345);
  count += snprintf(line, sizeof line, "%-*d%s %% %.*s", 3, 5, shown, 4, precise);
  count += sscanf(text, "%15[^ ]%*c%ld", word, &number);
  return count > 0 ? unused : "failed";
}

int main(void) {
  pthread_t thread;
  void* failed;
  pthread_create(&thread, 0, work, 0);
  printed[5] = 'x';
  within[3] = '\0';
  shown[4] = 'x';
  precise[3] = 'x';
  text[3] = ' ';
  number = 1;
  word[3] = 'x';
  pthread_join(thread, &failed);
  return failed != 0;
}
