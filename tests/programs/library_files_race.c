// libc reads files and asks the system into what another thread writes.
// expect race: data-race line*
// expect race: data-race block*
// expect race: data-race sent*
// expect race: data-race piece*
// expect race: data-race path*
// expect race: data-race folder*
// expect race: data-race about*
// expect race: data-race now*
// expect race: data-race local*
// compilers: plugin static
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char line[64];
static char block[64];
static char sent[64];
static char piece[64];
static char path[64] = "/dev/null";
static char folder[4096];
static struct stat about;
static struct timespec now;
static struct tm local;

static void* work(void* unused) {
  FILE* const file = fopen("/proc/self/maps", "r");
  FILE* const sink = fopen("/dev/null", "w");
  const int zeros = open("/dev/zero", O_RDONLY);
  const time_t start = 0;
  int failures = fgets(line, sizeof line, file) == 0;
  failures += fread(block, 2, 32, file) != 32;
  failures += fwrite(sent, 4, 16, sink) != 16;
  failures += pread(zeros, piece, sizeof piece, 0) < 0;
  failures += open(path, O_RDONLY) < 0;
  failures += getcwd(folder, sizeof folder) == 0;
  failures += stat("/", &about) != 0;
  failures += clock_gettime(CLOCK_REALTIME, &now) != 0;
  failures += localtime_r(&start, &local) == 0;
  return failures == 0 ? unused : "failed";
}

int main(void) {
  pthread_t thread;
  void* failed;
  pthread_create(&thread, 0, work, 0);
  line[0] = 'x';
  block[63] = 'x';
  sent[63] = 'x';
  piece[63] = 'x';
  path[9] = '\0';
  folder[0] = 'x';
  about.st_size = 1;
  now.tv_nsec = 1;
  local.tm_year = 1;
  pthread_join(thread, &failed);
  return failed != 0;
}
