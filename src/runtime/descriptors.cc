// Numbers of open files. The kernel hands one out again only when it was closed: what a
// thread did before it closed a file is ordered before what another one does with the
// same number. Servers keep what they know of a connection in a table by its number.
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/channels.h"
#include "runtime/edges.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

uint64_t edge_of_descriptor(int descriptor) {
  return edge_of(reinterpret_cast<const void*>(static_cast<uint64_t>(descriptor) + 1));
}

// Before the kernel can hand it out again. Whoever reads at the other end of a pipe
// learns of it.
void give_back(int descriptor) {
  if (descriptor < 0) return;
  send_by(descriptor);
  record_sync(Kind::atomic_update, edge_of_descriptor(descriptor));
  forget_found_channel(descriptor);
}

// What a function returned; of those that failed, -1.
int got(int descriptor) {
  if (descriptor >= 0) {
    const KeepErrno keep;
    record_sync(Kind::atomic_read, edge_of_descriptor(descriptor));
    forget_channel(descriptor);
  }
  return descriptor;
}

// Of a file that has no name by which its channel could be found.
int got_unnamed(int descriptor) {
  if (got(descriptor) >= 0) new_channel(descriptor);
  return descriptor;
}

int got_copy(int descriptor, int copy) {
  if (descriptor != copy && got(copy) >= 0) share_channel(descriptor, copy);
  return copy;
}

// Whoever asked for it has done so before.
int got_connection(int listener, int descriptor) {
  if (got(descriptor) >= 0) receive_from(listener);
  return descriptor;
}

int got_pair(int status, const int* descriptors) {
  if (status == 0) {
    got(descriptors[0]);
    got(descriptors[1]);
  }
  return status;
}

// The third argument of open(), which is there if a file may be made.
mode_t mode_of(int flags, va_list& arguments) {
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return makes ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int close(int descriptor) {
  const CallPlace place(__builtin_return_address(0));
  give_back(descriptor);
  return real().close(descriptor);
}
FORETRACE_INTERCEPT int fclose(FILE* file) {
  const CallPlace place(__builtin_return_address(0));
  if (file != nullptr) give_back(::fileno(file));
  return real().fclose(file);
}

FORETRACE_INTERCEPT int accept(int listener, sockaddr* address, socklen_t* bytes) {
  const CallPlace place(__builtin_return_address(0));
  return got_connection(listener, real().accept(listener, address, bytes));
}
FORETRACE_INTERCEPT int accept4(int listener, sockaddr* address, socklen_t* bytes, int flags) {
  const CallPlace place(__builtin_return_address(0));
  return got_connection(listener, real().accept4(listener, address, bytes, flags));
}
FORETRACE_INTERCEPT int socket(int domain, int type, int protocol) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got(real().socket(domain, type, protocol));
}
FORETRACE_INTERCEPT int bind(int socket, const sockaddr* address, socklen_t bytes) noexcept {
  const int status = real().bind(socket, address, bytes);
  forget_channel(socket);
  return status;
}
FORETRACE_INTERCEPT int connect(int socket, const sockaddr* address, socklen_t bytes) {
  const CallPlace place(__builtin_return_address(0));
  send_to(address, bytes);
  const int status = real().connect(socket, address, bytes);
  forget_channel(socket);
  return status;
}
FORETRACE_INTERCEPT int socketpair(int domain, int type, int protocol, int pair[2]) noexcept {
  const CallPlace place(__builtin_return_address(0));
  const int status = got_pair(real().socketpair(domain, type, protocol, pair), pair);
  if (status == 0) {
    new_channel(pair[0]);
    share_channel(pair[0], pair[1]);
  }
  return status;
}
FORETRACE_INTERCEPT int pipe(int pair[2]) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got_pair(real().pipe(pair), pair);
}
FORETRACE_INTERCEPT int pipe2(int pair[2], int flags) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got_pair(real().pipe2(pair, flags), pair);
}
FORETRACE_INTERCEPT int dup(int descriptor) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got_copy(descriptor, real().dup(descriptor));
}
FORETRACE_INTERCEPT int dup2(int descriptor, int target) noexcept {
  const CallPlace place(__builtin_return_address(0));
  if (descriptor != target) give_back(target);  // closed, if it was open
  return got_copy(descriptor, real().dup2(descriptor, target));
}
FORETRACE_INTERCEPT int dup3(int descriptor, int target, int flags) noexcept {
  const CallPlace place(__builtin_return_address(0));
  give_back(target);
  return got_copy(descriptor, real().dup3(descriptor, target, flags));
}
FORETRACE_INTERCEPT int fcntl(int descriptor, int command, ...) {
  const CallPlace place(__builtin_return_address(0));
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);  // a pointer, a number or nothing
  va_end(arguments);
  const int result = real().fcntl(descriptor, command, argument);
  const bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  return copies ? got_copy(descriptor, result) : result;
}
FORETRACE_INTERCEPT int eventfd(unsigned count, int flags) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got_unnamed(real().eventfd(count, flags));
}
FORETRACE_INTERCEPT int epoll_create(int size) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got_unnamed(real().epoll_create(size));
}
FORETRACE_INTERCEPT int epoll_create1(int flags) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got_unnamed(real().epoll_create1(flags));
}

FORETRACE_INTERCEPT int open(const char* path, int flags, ...) {
  const CallPlace place(__builtin_return_address(0));
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return got(real().open(path, flags, mode));
}
FORETRACE_INTERCEPT int openat(int folder, const char* path, int flags, ...) {
  const CallPlace place(__builtin_return_address(0));
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return got(real().openat(folder, path, flags, mode));
}
FORETRACE_INTERCEPT FILE* fopen(const char* path, const char* mode) {
  const CallPlace place(__builtin_return_address(0));
  FILE* const file = real().fopen(path, mode);
  if (file != nullptr) got(::fileno(file));
  return file;
}

// The same on machines with 64 bits.
FORETRACE_INTERCEPT int fcntl64(int, int, ...) __attribute__((alias("fcntl")));
FORETRACE_INTERCEPT int open64(const char*, int, ...) __attribute__((alias("open")));
FORETRACE_INTERCEPT int openat64(int, const char*, int, ...) __attribute__((alias("openat")));
FORETRACE_INTERCEPT FILE* fopen64(const char*, const char*) __attribute__((alias("fopen")));
