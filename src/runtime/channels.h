// What threads tell each other through the kernel: by a pipe, a socket, an eventfd, a
// message, a signal. What a thread did before it sends is ordered before what another does after it
// received. Both ends of such a connection are one channel.
#pragma once

#include <cstdint>

#include <mqueue.h>
#include <sys/socket.h>

namespace foretrace::runtime {

// In front of a call that may tell another thread something: what was written, that a
// file is closed.
void send_by(int descriptor);
// The same, to an address: a datagram, or the wish to be connected.
void send_to(const sockaddr* address, socklen_t bytes);
// Behind a call that has learnt something. Keeps errno.
void receive_from(int descriptor);

// The same for what is no file, and has numbers of its own.
enum class Numbered { signal, message_queue, taken_semaphore, given_semaphore, timer };
void send_by(Numbered kind, uint64_t number);
void receive_from(Numbered kind, uint64_t number);  // keeps errno
// The number of a POSIX message queue.
uint64_t queue_of(mqd_t descriptor);

// The number stands for another file now, or for a socket that has got another name.
void forget_channel(int descriptor);
// The file is closed. What new_channel() and share_channel() said stays until the number
// is handed out again: it may be the child of vfork() that closes its own.
void forget_found_channel(int descriptor);
// A file whose channel cannot be found out later: there is nothing that it shares with
// its other end, or with other numbers for it.
void new_channel(int descriptor);
// The two are one channel, if the first was a new_channel().
void share_channel(int descriptor, int other);

}  // namespace foretrace::runtime
