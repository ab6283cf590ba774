// The sender goes on with what it has sent: it is too late to change that then.
// expect race: data-race payload
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>

struct message {
  long kind;
  char text[8];
};

static int payload;
static int queue;

static void* work(void* unused) {
  struct message message;
  if (msgrcv(queue, &message, sizeof(message.text), 0, 0) == 8) payload += 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  struct message message = {1, "go"};
  queue = msgget(IPC_PRIVATE, 0600);
  if (queue < 0) return 1;
  pthread_create(&thread, 0, work, 0);
  payload = 1;
  msgsnd(queue, &message, sizeof(message.text), 0);
  payload = 2;
  pthread_join(thread, 0);
  msgctl(queue, IPC_RMID, 0);
  return 0;
}
