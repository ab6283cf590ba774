// What was written before a message is sent is read by who receives it: queues of POSIX
// and of System V, and semaphores of System V.
// expect none
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

struct message {
  long kind;
  char text[8];
};

static int job;
static int result;
static int last;
static mqd_t jobs;
static int results;
static int done;

static void* work(void* unused) {
  char bytes[16];
  if (mq_receive(jobs, bytes, sizeof(bytes), 0) != 1) return unused;
  result = job + 1;
  struct message message = {1, "done"};
  if (msgsnd(results, &message, sizeof(message.text), 0) != 0) return unused;
  last = 3;
  struct sembuf give = {0, 1, 0};
  semop(done, &give, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  char name[32];
  struct mq_attr size = {0, 4, 16, 0, {0}};
  struct message message;
  struct sembuf take = {0, -1, 0};
  snprintf(name, sizeof(name), "/foretrace-%d", (int)getpid());
  jobs = mq_open(name, O_RDWR | O_CREAT, 0600, &size);
  mq_unlink(name);
  results = msgget(IPC_PRIVATE, 0600);
  done = semget(IPC_PRIVATE, 1, 0600);
  if (jobs < 0 || results < 0 || done < 0) return 1;
  pthread_create(&thread, 0, work, 0);
  job = 1;
  int status = 1;
  if (mq_send(jobs, "x", 1, 0) == 0 && msgrcv(results, &message, sizeof(message.text), 0, 0) == 8 &&
      result == 2 && semop(done, &take, 1) == 0 && last == 3) {
    status = 0;
  }
  msgctl(results, IPC_RMID, 0);
  semctl(done, 0, IPC_RMID);
  pthread_detach(thread);
  return status;
}
