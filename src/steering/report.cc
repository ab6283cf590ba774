#include "steering/report.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/spin_lock.h"
#include "steering/modules.h"
#include "steering/system.h"

namespace foretrace::steering {
namespace {

ReportHeader* header = nullptr;
std::atomic<uint32_t> lock{0};
constexpr size_t kMostText = 64 << 10;
char text[kMostText];
size_t used = 0;

// In the place of tabs and ends of lines inside a field.
constexpr char kLineEnd = '\x1f';
constexpr char kTab = '\x1e';

void append_field(const char* field) {
  for (; *field != '\0' && used + 1 < kMostText; ++field) {
    text[used++] = *field == '\n' ? kLineEnd : *field == '\t' ? kTab : *field;
  }
}

void send() {
  if (header == nullptr) return;
  const size_t bytes = (sizeof(EntryHeader) + used + 7) & ~size_t{7};
  const uint64_t place = header->reserved.fetch_add(bytes);
  if (sizeof(ReportHeader) + place + bytes > kReportBytes) {
    ++header->lost;
    return;
  }
  auto* const entry = reinterpret_cast<EntryHeader*>(reinterpret_cast<char*>(header + 1) + place);
  entry->bytes = static_cast<uint32_t>(used);
  std::memcpy(reinterpret_cast<char*>(entry) + sizeof(EntryHeader), text, used);
  entry->complete.store(1, std::memory_order_release);
}

}  // namespace

ReportHeader* report_header() { return header; }

void open_report(const char* path) {
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void* const memory = ::mmap(nullptr, kReportBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (memory == MAP_FAILED) return;
  auto* const found = static_cast<ReportHeader*>(memory);
  if (found->version == kReportVersion) header = found;
}

void count_process() {
  if (header != nullptr) ++header->processes;
}

void note_atomics() {
  if (header != nullptr && !header->atomics.load(std::memory_order_relaxed)) {
    header->atomics.store(true, std::memory_order_relaxed);
  }
}

void reset_report_lock() { lock.store(0); }

ThreadName::ThreadName(uint32_t number) {
  if (number == 0) {
    std::strcpy(text, "main");
  } else {
    std::snprintf(text, sizeof text, "T%u", number);
  }
}

ReportEntry::ReportEntry() {
  runtime::lock_word(lock);
  used = 0;
}

ReportEntry::~ReportEntry() {
  send();
  lock.store(0, std::memory_order_release);
}

void ReportEntry::line(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int wanted = std::vsnprintf(text + used, kMostText - used, format, values);
  va_end(values);
  if (wanted > 0 && used + static_cast<size_t>(wanted) + 1 < kMostText) {
    used += static_cast<size_t>(wanted);
    text[used++] = '\n';
  }
}

void ReportEntry::place(SiteRef ref) {
  if (!ref.is_known()) return;
  if (ref.is_code()) {
    const CodePoint point = point_of(ref.code());
    line("code\t%s\t%lx\t%lx", point.path, point.offset, point.bias);
    return;
  }
  const Site& site = *ref.site();
  const CodePoint point = point_of(reinterpret_cast<uint64_t>(&site));
  char numbers[32];
  const auto length = static_cast<size_t>(
      std::snprintf(numbers, sizeof numbers, "\t%u\t%u\t", site.line, site.column));
  append_field("place");
  text[used++] = '\t';
  append_field(site.file);
  std::memcpy(text + used, numbers, length);
  used += length;
  for (const char* field : {site.function, site.what, point.path, site.inlined}) {
    append_field(field);
    if (used + 1 < kMostText) text[used++] = '\t';
  }
  line("%lx", point.bias);
}

void ReportEntry::frames(const CallFrame* calls, uint32_t depth) {
  constexpr uint32_t kShown = 64;
  for (uint32_t i = depth; i > 0 && depth - i < kShown; --i) {
    const CodePoint point = point_of(calls[i - 1].caller - 1);
    line("frame\t%s\t%lx", point.path, point.offset);
  }
}

void ReportEntry::access(const Slot& slot, bool write, uint64_t address, uint64_t bytes,
                         SiteRef site, const CallFrame* calls, uint32_t depth) {
  const ThreadName name(slot.number);
  line("access\t%s\t%s\t%lx\t%lu\t%lu\t%s", name.text, write ? "write" : "read", address, bytes,
       slot.accesses(), slot.started);
  place(site);
  frames(calls, depth);
}

}  // namespace foretrace::steering
