// What libc could touch and does not: threads use different parts of the same arrays,
// and each array again behind a join.
// expect none
// flags: -fno-builtin
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char line[4096];
static char within[16];
static char printed[16];
static char precise[16] = "precise";
static char compared[16] = "word";
static char searched[16] = "search";
static char copied[16];
static char message[64];
static char digits[4][16] = {"42\r\n", "  -17,", "0777x", "12.5;"};
static int numbers[2];
static int single[1];
static struct stat about;
static const char* volatile words = "other words";

static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static int call(void) {
  FILE* const file = fopen("/proc/self/comm", "r");
  int failures = fgets(line, sizeof line, file) == 0;
  failures += snprintf(within, 8, "%s", "a longer text") != 13;
  failures += sprintf(printed, "%.4s", precise) != 4;
  failures += strcmp(compared, words) == 0;
  failures += strncmp(words, "other", 20) == 0;
  failures += strchr(searched, 'e') != searched + 1;
  failures += memccpy(copied, words, 'r', 8) != copied + 5;
  failures += strerror_r(2, message, sizeof message) == message;
  failures += sscanf("1 x", "%d %d", &numbers[0], &numbers[1]) != 1;
  failures += atoi(digits[0]) != 42;
  failures += strtol(digits[1], NULL, 0) != -17;
  failures += strtoul(digits[2], NULL, 0) != 0777;
  failures += strtod(digits[3], NULL) != 12.5;
  qsort(single, 1, sizeof single[0], by_value);
  failures += stat("/nothing of this name", &about) == 0;
  failures += time(NULL) == 0;
  fclose(file);
  return failures;
}

// Behind which is no memory, as at the end of a file that is mapped.
static int number_at_the_end_of_a_page(void) {
  const long page = sysconf(_SC_PAGESIZE);
  char* const pages =
      mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + page, page, PROT_NONE);
  char* const text = memcpy(pages + page - 4, "42\r\n", 4);
  return atoi(text);
}

static void* work(void* unused) { return call() == 0 ? unused : "failed"; }

int main(void) {
  pthread_t thread;
  void* failed;
  pthread_create(&thread, 0, work, 0);
  line[4095] = 'x';
  within[8] = 'x';
  printed[5] = 'x';
  precise[4] = 'x';
  compared[1] = 'x';
  searched[2] = 'x';
  copied[5] = 'x';
  message[0] = 'x';
  digits[0][3] = digits[1][6] = digits[2][5] = digits[3][5] = 'x';
  numbers[1] = 1;
  single[0] = 1;
  about.st_size = 1;
  pthread_join(thread, &failed);
  return failed != 0 || call() != 0 || number_at_the_end_of_a_page() != 42;
}
