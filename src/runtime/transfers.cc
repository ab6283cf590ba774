// read(), write() and the like: what they access, and that whoever receives something
// comes after who sent it (channels.h).
#include <cstddef>
#include <cstdint>

#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/channels.h"
#include "runtime/modules.h"
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// A call that moves bytes between memory and a file. The memory counts as accessed where
// recorded code makes the call.
class Transfer {
 public:
  __attribute__((always_inline)) explicit Transfer(const void* return_address)
      : accesses_(take_call_site()), place_(return_address) {
    if (accesses_.is_known() || !recording_on.load(std::memory_order_relaxed)) return;
    const SiteRef here = SiteRef::before(return_address);
    if (has_sanitizer_hooks(here.code())) accesses_ = here;
  }

  void sends(int descriptor, const void* bytes, size_t count) const {
    reads(bytes, count);
    send_by(descriptor);
  }
  void sends(int descriptor, const iovec* parts, size_t count) const {
    for (size_t i = 0; accesses_.is_known() && i < count; ++i) {
      reads(parts[i].iov_base, parts[i].iov_len);
    }
    send_by(descriptor);
  }
  void sends(int descriptor, const msghdr& message) const {
    sends(descriptor, message.msg_iov, message.msg_iovlen);
    send_to(static_cast<const sockaddr*>(message.msg_name), message.msg_namelen);
  }

  // `got` is how many bytes there were; there may be less space. Less than 0: an error.
  ssize_t received(int descriptor, void* bytes, size_t space, ssize_t got) const {
    if (got < 0) return got;
    receive_from(descriptor);
    const auto count = static_cast<size_t>(got);
    writes(bytes, count < space ? count : space);
    return got;
  }
  ssize_t received(int descriptor, const iovec* parts, size_t count, ssize_t got) const {
    if (got < 0) return got;
    receive_from(descriptor);
    auto left = static_cast<size_t>(got);
    for (size_t i = 0; accesses_.is_known() && left > 0 && i < count; ++i) {
      const size_t here = left < parts[i].iov_len ? left : parts[i].iov_len;
      writes(parts[i].iov_base, here);
      left -= here;
    }
    return got;
  }

  ssize_t received_message(uint64_t queue, void* bytes, ssize_t got) const {
    if (got < 0) return got;
    receive_from(Numbered::message_queue, queue);
    writes(bytes, static_cast<size_t>(got));
    return got;
  }

  void reads(const void* bytes, size_t count) const {
    if (!accesses_.is_known()) return;
    access_range<false>(bytes, count < kMostBytes ? count : kMostBytes, accesses_);
  }
  void writes(void* bytes, size_t count) const {
    if (accesses_.is_known()) access_range<true>(bytes, count, accesses_);
  }

 private:
  // What may be asked for is any number; Linux moves this much at most.
  static constexpr size_t kMostBytes = 0x7ffff000;
  SiteRef accesses_;  // not known: they do not count
  const CallPlace place_;
};

// The other kind of queue: they have numbers of their own.
uint64_t queue_numbered(int number) { return uint64_t{static_cast<uint32_t>(number)} << 1 | 1; }

int learnt(const pollfd* files, nfds_t count, int ready) {
  for (nfds_t i = 0; ready > 0 && i < count; ++i) {
    if (files[i].revents != 0) receive_from(files[i].fd);
  }
  return ready;
}

int learnt(const fd_set* files, int count, int ready) {
  for (int i = 0; ready > 0 && files != nullptr && i < count; ++i) {
    if (FD_ISSET(i, files)) receive_from(i);
  }
  return ready;
}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

#define FORETRACE_TRANSFER const Transfer call(__builtin_return_address(0))

// ---- receiving

FORETRACE_INTERCEPT ssize_t read(int file, void* bytes, size_t space) {
  FORETRACE_TRANSFER;
  return call.received(file, bytes, space, real().read(file, bytes, space));
}
FORETRACE_INTERCEPT ssize_t readv(int file, const iovec* parts, int count) {
  FORETRACE_TRANSFER;
  return call.received(file, parts, static_cast<size_t>(count), real().readv(file, parts, count));
}
FORETRACE_INTERCEPT ssize_t recv(int socket, void* bytes, size_t space, int flags) {
  FORETRACE_TRANSFER;
  return call.received(socket, bytes, space, real().recv(socket, bytes, space, flags));
}
FORETRACE_INTERCEPT ssize_t recvfrom(int socket, void* bytes, size_t space, int flags,
                                     sockaddr* sender, socklen_t* sender_bytes) {
  FORETRACE_TRANSFER;
  return call.received(socket, bytes, space,
                       real().recvfrom(socket, bytes, space, flags, sender, sender_bytes));
}
FORETRACE_INTERCEPT ssize_t recvmsg(int socket, msghdr* message, int flags) {
  FORETRACE_TRANSFER;
  const ssize_t got = real().recvmsg(socket, message, flags);
  if (got < 0) return got;
  return call.received(socket, message->msg_iov, message->msg_iovlen, got);
}
FORETRACE_INTERCEPT int recvmmsg(int socket, mmsghdr* messages, unsigned count, int flags,
                                 timespec* timeout) {
  FORETRACE_TRANSFER;
  const int got = real().recvmmsg(socket, messages, count, flags, timeout);
  for (int i = 0; i < got; ++i) {
    const msghdr& message = messages[i].msg_hdr;
    call.received(socket, message.msg_iov, message.msg_iovlen,
                  static_cast<ssize_t>(messages[i].msg_len));
  }
  return got;
}
FORETRACE_INTERCEPT int eventfd_read(int file, eventfd_t* value) {
  FORETRACE_TRANSFER;
  const int status = real().eventfd_read(file, value);
  if (status == 0) call.received(file, value, sizeof(*value), sizeof(*value));
  return status;
}

// With a check that the compiler adds (_FORTIFY_SOURCE).
FORETRACE_INTERCEPT ssize_t __read_chk(int file, void* bytes, size_t space, size_t most) {
  FORETRACE_TRANSFER;
  return call.received(file, bytes, space, real().__read_chk(file, bytes, space, most));
}
FORETRACE_INTERCEPT ssize_t __recv_chk(int socket, void* bytes, size_t space, size_t most,
                                       int flags) {
  FORETRACE_TRANSFER;
  return call.received(socket, bytes, space, real().__recv_chk(socket, bytes, space, most, flags));
}
FORETRACE_INTERCEPT ssize_t __recvfrom_chk(int socket, void* bytes, size_t space, size_t most,
                                           int flags, sockaddr* sender, socklen_t* sender_bytes) {
  FORETRACE_TRANSFER;
  return call.received(
      socket, bytes, space,
      real().__recvfrom_chk(socket, bytes, space, most, flags, sender, sender_bytes));
}

// ---- sending

FORETRACE_INTERCEPT ssize_t write(int file, const void* bytes, size_t count) {
  FORETRACE_TRANSFER;
  call.sends(file, bytes, count);
  return real().write(file, bytes, count);
}
FORETRACE_INTERCEPT ssize_t writev(int file, const iovec* parts, int count) {
  FORETRACE_TRANSFER;
  call.sends(file, parts, static_cast<size_t>(count < 0 ? 0 : count));
  return real().writev(file, parts, count);
}
FORETRACE_INTERCEPT ssize_t send(int socket, const void* bytes, size_t count, int flags) {
  FORETRACE_TRANSFER;
  call.sends(socket, bytes, count);
  return real().send(socket, bytes, count, flags);
}
FORETRACE_INTERCEPT ssize_t sendto(int socket, const void* bytes, size_t count, int flags,
                                   const sockaddr* receiver, socklen_t receiver_bytes) {
  FORETRACE_TRANSFER;
  call.sends(socket, bytes, count);
  send_to(receiver, receiver_bytes);
  return real().sendto(socket, bytes, count, flags, receiver, receiver_bytes);
}
FORETRACE_INTERCEPT ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  FORETRACE_TRANSFER;
  call.sends(socket, *message);
  return real().sendmsg(socket, message, flags);
}
FORETRACE_INTERCEPT int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) {
  FORETRACE_TRANSFER;
  for (unsigned i = 0; i < count; ++i) call.sends(socket, messages[i].msg_hdr);
  return real().sendmmsg(socket, messages, count, flags);
}
FORETRACE_INTERCEPT int eventfd_write(int file, eventfd_t value) {
  const CallPlace place(__builtin_return_address(0));
  send_by(file);
  return real().eventfd_write(file, value);
}
FORETRACE_INTERCEPT int shutdown(int socket, int how) noexcept {
  const CallPlace place(__builtin_return_address(0));
  send_by(socket);
  return real().shutdown(socket, how);
}

// ---- messages

FORETRACE_INTERCEPT int mq_send(mqd_t queue, const char* bytes, size_t count, unsigned priority) {
  FORETRACE_TRANSFER;
  call.reads(bytes, count);
  send_by(Numbered::message_queue, queue_of(queue));
  return real().mq_send(queue, bytes, count, priority);
}
FORETRACE_INTERCEPT int mq_timedsend(mqd_t queue, const char* bytes, size_t count,
                                     unsigned priority, const timespec* until) {
  FORETRACE_TRANSFER;
  call.reads(bytes, count);
  send_by(Numbered::message_queue, queue_of(queue));
  return real().mq_timedsend(queue, bytes, count, priority, until);
}
FORETRACE_INTERCEPT ssize_t mq_receive(mqd_t queue, char* bytes, size_t space, unsigned* priority) {
  FORETRACE_TRANSFER;
  return call.received_message(queue_of(queue), bytes,
                               real().mq_receive(queue, bytes, space, priority));
}
FORETRACE_INTERCEPT ssize_t mq_timedreceive(mqd_t queue, char* bytes, size_t space,
                                            unsigned* priority, const timespec* until) {
  FORETRACE_TRANSFER;
  return call.received_message(queue_of(queue), bytes,
                               real().mq_timedreceive(queue, bytes, space, priority, until));
}
// These have the kind of the message in front of it, which does not count.
FORETRACE_INTERCEPT int msgsnd(int queue, const void* message, size_t count, int flags) {
  FORETRACE_TRANSFER;
  call.reads(message, sizeof(long) + count);
  send_by(Numbered::message_queue, queue_numbered(queue));
  return real().msgsnd(queue, message, count, flags);
}
FORETRACE_INTERCEPT ssize_t msgrcv(int queue, void* message, size_t space, long kind, int flags) {
  FORETRACE_TRANSFER;
  const ssize_t got = real().msgrcv(queue, message, space, kind, flags);
  if (got < 0) return got;
  constexpr auto kKind = static_cast<ssize_t>(sizeof(long));
  return call.received_message(queue_numbered(queue), message, kKind + got) - kKind;
}

// ---- from one file to another

FORETRACE_INTERCEPT ssize_t sendfile(int target, int source, off_t* place_in_source,
                                     size_t count) noexcept {
  const CallPlace place(__builtin_return_address(0));
  send_by(target);
  return real().sendfile(target, source, place_in_source, count);
}
FORETRACE_INTERCEPT ssize_t splice(int source, off64_t* place_in_source, int target,
                                   off64_t* place_in_target, size_t count, unsigned flags) {
  const CallPlace place(__builtin_return_address(0));
  send_by(target);
  const ssize_t moved =
      real().splice(source, place_in_source, target, place_in_target, count, flags);
  if (moved >= 0) receive_from(source);
  return moved;
}

// ---- waiting for something to receive

FORETRACE_INTERCEPT int poll(pollfd* files, nfds_t count, int timeout) {
  const CallPlace place(__builtin_return_address(0));
  return learnt(files, count, real().poll(files, count, timeout));
}
FORETRACE_INTERCEPT int ppoll(pollfd* files, nfds_t count, const timespec* timeout,
                              const sigset_t* signals) {
  const CallPlace place(__builtin_return_address(0));
  return learnt(files, count, real().ppoll(files, count, timeout, signals));
}
FORETRACE_INTERCEPT int __poll_chk(pollfd* files, nfds_t count, int timeout, size_t most) {
  const CallPlace place(__builtin_return_address(0));
  return learnt(files, count, real().__poll_chk(files, count, timeout, most));
}
FORETRACE_INTERCEPT int __ppoll_chk(pollfd* files, nfds_t count, const timespec* timeout,
                                    const sigset_t* signals, size_t most) {
  const CallPlace place(__builtin_return_address(0));
  return learnt(files, count, real().__ppoll_chk(files, count, timeout, signals, most));
}
FORETRACE_INTERCEPT int select(int count, fd_set* to_read, fd_set* to_write, fd_set* others,
                               timeval* timeout) {
  const CallPlace place(__builtin_return_address(0));
  return learnt(to_read, count, real().select(count, to_read, to_write, others, timeout));
}
FORETRACE_INTERCEPT int pselect(int count, fd_set* to_read, fd_set* to_write, fd_set* others,
                                const timespec* timeout, const sigset_t* signals) {
  const CallPlace place(__builtin_return_address(0));
  return learnt(to_read, count, real().pselect(count, to_read, to_write, others, timeout, signals));
}

// Whoever is woken may use what was prepared before the file was added.
FORETRACE_INTERCEPT int epoll_ctl(int poll, int command, int file, epoll_event* event) noexcept {
  const CallPlace place(__builtin_return_address(0));
  send_by(poll);
  return real().epoll_ctl(poll, command, file, event);
}
FORETRACE_INTERCEPT int epoll_wait(int poll, epoll_event* events, int space, int timeout) {
  const CallPlace place(__builtin_return_address(0));
  const int ready = real().epoll_wait(poll, events, space, timeout);
  if (ready > 0) receive_from(poll);
  return ready;
}
FORETRACE_INTERCEPT int epoll_pwait(int poll, epoll_event* events, int space, int timeout,
                                    const sigset_t* signals) {
  const CallPlace place(__builtin_return_address(0));
  const int ready = real().epoll_pwait(poll, events, space, timeout, signals);
  if (ready > 0) receive_from(poll);
  return ready;
}

FORETRACE_INTERCEPT ssize_t sendfile64(int, int, off64_t*, size_t) noexcept
    __attribute__((alias("sendfile")));
