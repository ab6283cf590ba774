#include "runtime/channels.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/edges.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// The number of a channel, which is even; 0: of none. Two channels may have the same: that
// is an order too many, which hides races and invents none.
using Channel = uint32_t;

enum class Origin : uint64_t { pipe, connection, port, path, unnamed, numbered };

Channel number_for(Origin origin, uint64_t a, uint64_t b) {
  uint64_t mixed = static_cast<uint64_t>(origin) + 1;
  for (const uint64_t part : {a, b}) {
    mixed = (mixed ^ part) * 0x9E3779B97F4A7C15;
    mixed ^= mixed >> 29;
  }
  const auto number = static_cast<Channel>(mixed >> 33 << 1);
  return number != 0 ? number : 2;
}

// The channel of a socket that has this name. Ports are enough: the address of one end
// may be a wildcard, or written in another family at the other.
Channel named(const sockaddr* address, socklen_t bytes) {
  if (bytes < sizeof(address->sa_family)) return 0;
  switch (address->sa_family) {
    case AF_INET: {
      const auto port = reinterpret_cast<const sockaddr_in*>(address)->sin_port;
      return bytes >= sizeof(sockaddr_in) && port != 0 ? number_for(Origin::port, port, 0) : 0;
    }
    case AF_INET6: {
      const auto port = reinterpret_cast<const sockaddr_in6*>(address)->sin6_port;
      return bytes >= sizeof(sockaddr_in6) && port != 0 ? number_for(Origin::port, port, 0) : 0;
    }
    case AF_UNIX: {
      // An abstract name begins with a zero and ends with the structure.
      const char* const path = reinterpret_cast<const sockaddr_un*>(address)->sun_path;
      const size_t most = bytes - offsetof(sockaddr_un, sun_path);
      uint64_t mixed = 0;
      for (size_t i = 0; i < most && (i == 0 || path[0] == '\0' || path[i] != '\0'); ++i) {
        mixed = mixed * 257 + static_cast<unsigned char>(path[i]) + 1;
      }
      return mixed != 0 ? number_for(Origin::path, mixed, 0) : 0;
    }
    default:
      return 0;
  }
}

struct SocketName {
  sockaddr_storage address;
  socklen_t bytes = sizeof(address);
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
  Channel channel() const { return named(get(), bytes); }
};

// What is known of a descriptor: a channel that it sends by and receives from, and one
// that it sends by besides.
struct Ends {
  Channel both = 0;
  Channel target = 0;
  bool is_lasting = true;  // it will not change while the file is open
};

Ends ends_of_socket(int descriptor) {
  int type = 0;
  socklen_t bytes = sizeof(type);
  SocketName own;
  SocketName peer;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0 ||
      ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own.address), &own.bytes) != 0) {
    return {};
  }
  const bool is_connected =
      ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer.address), &peer.bytes) == 0;
  const Channel here = own.channel();
  if (!is_connected) return {here, 0, here != 0};
  const Channel there = peer.channel();
  // Whoever receives a datagram may have no connection.
  if (type == SOCK_DGRAM) return {here, there};
  if (here == 0 || there == 0) return {here | there, 0};
  return {number_for(Origin::connection, here < there ? here : there, here < there ? there : here),
          0};
}

Ends find_ends(int descriptor) {
  struct stat file;
  if (::fstat(descriptor, &file) != 0) return {0, 0, false};
  if (S_ISFIFO(file.st_mode)) return {number_for(Origin::pipe, file.st_dev, file.st_ino), 0};
  return S_ISSOCK(file.st_mode) ? ends_of_socket(descriptor) : Ends();
}

// What was found, by descriptor. Those beyond are looked at each time.
class EndsTable {
 public:
  Ends get(int descriptor) {
    if (descriptor < 0) return {};
    if (descriptor >= kEntries) return find_ends(descriptor);
    const uint64_t known = ends_[descriptor].load(std::memory_order_acquire);
    if ((known & kKnown) != 0) return unpack(known);
    const Ends found = find_ends(descriptor);
    if (found.is_lasting) put(descriptor, kKnown, found);
    return found;
  }
  void forget(int descriptor) {
    if (is_inside(descriptor)) ends_[descriptor].store(0, std::memory_order_release);
  }
  void forget_found(int descriptor) {
    if (!is_inside(descriptor)) return;
    const uint64_t known = ends_[descriptor].load(std::memory_order_acquire);
    if (known != 0 && (known & kGiven) == 0) forget(descriptor);
  }
  void give(int descriptor, Channel channel) {
    if (is_inside(descriptor)) put(descriptor, kKnown | kGiven, {channel, 0});
  }
  void share(int descriptor, int other) {
    if (!is_inside(descriptor) || !is_inside(other)) return;
    const uint64_t known = ends_[descriptor].load(std::memory_order_acquire);
    if ((known & kGiven) != 0) ends_[other].store(known, std::memory_order_release);
  }

 private:
  static constexpr int kEntries = 1 << 16;
  // The lowest bits of the two channels are used for these.
  static constexpr uint64_t kKnown = 1;
  static constexpr uint64_t kGiven = uint64_t{1} << 32;  // not by find_ends()

  static bool is_inside(int descriptor) { return descriptor >= 0 && descriptor < kEntries; }
  static Ends unpack(uint64_t known) {
    return {static_cast<Channel>(known) & ~1U, static_cast<Channel>(known >> 32) & ~1U};
  }
  void put(int descriptor, uint64_t flags, const Ends& ends) {
    ends_[descriptor].store(flags | ends.both | uint64_t{ends.target} << 32,
                            std::memory_order_release);
  }

  std::atomic<uint64_t> ends_[kEntries] = {};
};
constinit EndsTable table;

// Those who have sent by a channel, one bit for each kind of thread. Each has an edge of
// its own to those who receive: threads that send by one channel are not ordered.
class Senders {
 public:
  void add(Channel channel, uint32_t kind) {
    std::atomic<uint64_t>& kinds = kinds_[channel / 2 % kEntries];
    const uint64_t bit = uint64_t{1} << kind;
    if ((kinds.load(std::memory_order_relaxed) & bit) == 0) kinds.fetch_or(bit);
  }
  uint64_t get(Channel channel) const { return kinds_[channel / 2 % kEntries].load(); }

 private:
  static constexpr uint32_t kEntries = 1 << 12;
  std::atomic<uint64_t> kinds_[kEntries] = {};
};
constinit Senders senders;
constexpr uint32_t kThreadKinds = 64;

// Apart from the edges of objects: no object of a program is at these addresses.
uint64_t edge_of_channel(Channel channel, uint32_t kind) {
  constexpr uint64_t kChannels = uint64_t{1} << 44;
  return edge_of(
      reinterpret_cast<const void*>(kChannels | uint64_t{channel} * kThreadKinds | kind));
}

void send(Channel channel) {
  if (channel == 0 || !recording_on.load(std::memory_order_relaxed)) return;
  const uint32_t kind = self.number % kThreadKinds;
  record_sync(Kind::atomic_update, edge_of_channel(channel, kind));
  senders.add(channel, kind);
}

// Keeps the site of the call for each record.
void receive(Channel channel) {
  if (channel == 0 || !recording_on.load(std::memory_order_relaxed)) return;
  const SiteRef site = self.call_site;
  uint64_t kinds = senders.get(channel);
  for (uint32_t kind = 0; kinds != 0; ++kind, kinds >>= 1) {
    if ((kinds & 1) == 0) continue;
    self.call_site = site;
    record_sync(Kind::atomic_read, edge_of_channel(channel, kind));
  }
}

Channel numbered(Numbered kind, uint64_t number) {
  return number_for(Origin::numbered, static_cast<uint64_t>(kind), number);
}

}  // namespace

void send_by(int descriptor) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  const KeepErrno keep;
  const Ends ends = table.get(descriptor);
  send(ends.both);
  send(ends.target);
}

void send_to(const sockaddr* address, socklen_t bytes) {
  if (address != nullptr) send(named(address, bytes));
}

void receive_from(int descriptor) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  const KeepErrno keep;
  receive(table.get(descriptor).both);
}

// The queue of a descriptor: it can be opened many times.
uint64_t queue_of(mqd_t descriptor) {
  const KeepErrno keep;
  struct stat file;
  return ::fstat(descriptor, &file) == 0 ? uint64_t{file.st_ino} << 1 : 0;
}

void send_by(Numbered kind, uint64_t number) { send(numbered(kind, number)); }
void receive_from(Numbered kind, uint64_t number) {
  const KeepErrno keep;
  receive(numbered(kind, number));
}

void forget_channel(int descriptor) { table.forget(descriptor); }
void forget_found_channel(int descriptor) { table.forget_found(descriptor); }

void new_channel(int descriptor) {
  static std::atomic<uint64_t> count{0};
  table.give(descriptor, number_for(Origin::unnamed, ++count, 0));
}

void share_channel(int descriptor, int other) { table.share(descriptor, other); }

}  // namespace foretrace::runtime
