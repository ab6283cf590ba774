// Two threads speak with each other by sockets: a pair, a connection by TCP with which
// they find each other by the port, datagrams, and a named one of AF_UNIX.
// expect none
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int by_pair, by_connect, by_stream, back, by_datagram, by_path;
static int pair[2], listener, datagrams, named;

static void* serve(void* unused) {
  char byte;
  if (recv(pair[1], &byte, 1, 0) != 1) return unused;
  ++by_pair;

  const int connection = accept(listener, 0, 0);
  ++by_connect;
  if (recv(connection, &byte, 1, 0) != 1) return unused;
  ++by_stream;
  back = 1;
  if (send(connection, &byte, 1, 0) != 1) return unused;

  if (recvfrom(datagrams, &byte, 1, 0, 0, 0) != 1) return unused;
  ++by_datagram;

  const int local = accept(named, 0, 0);
  if (read(local, &byte, 1) != 1) return unused;
  ++by_path;
  close(local);
  close(connection);
  return unused;
}

static struct sockaddr_in bound(int socket) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
  socklen_t bytes = sizeof(address);
  bind(socket, (struct sockaddr*)&address, bytes);
  getsockname(socket, (struct sockaddr*)&address, &bytes);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int main(void) {
  pthread_t thread;
  char byte = 1;
  struct sockaddr_un path = {.sun_family = AF_UNIX};
  snprintf(path.sun_path + 1, sizeof(path.sun_path) - 1, "foretrace-%d", (int)getpid());
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  listener = socket(AF_INET, SOCK_STREAM, 0);
  datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  named = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr_in stream_address = bound(listener);
  const struct sockaddr_in datagram_address = bound(datagrams);
  if (bind(named, (struct sockaddr*)&path, sizeof(path)) != 0) return 1;
  if (listen(listener, 1) != 0 || listen(named, 1) != 0) return 1;
  pthread_create(&thread, 0, serve, 0);

  by_pair = 1;
  if (send(pair[0], &byte, 1, 0) != 1) return 1;

  by_connect = 1;
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(client, (const struct sockaddr*)&stream_address, sizeof(stream_address)) != 0) return 1;
  by_stream = 1;
  if (send(client, &byte, 1, 0) != 1 || recv(client, &byte, 1, 0) != 1) return 1;
  ++back;

  by_datagram = 1;
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  if (connect(sender, (const struct sockaddr*)&datagram_address, sizeof(datagram_address)) != 0) return 1;
  if (send(sender, &byte, 1, 0) != 1) return 1;

  const int local = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(local, (const struct sockaddr*)&path, sizeof(path)) != 0) return 1;
  by_path = 1;
  if (write(local, &byte, 1) != 1) return 1;
  if (read(local, &byte, 1) != 0) return 1;  // closed by the other
  ++by_path;
  pthread_detach(thread);
  return 0;
}
