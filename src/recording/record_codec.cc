#include "recording/record_codec.h"

#include <algorithm>
#include <cstring>

#include "trace/formats/ftr_layout.h"

namespace foretrace {

using ftr::unzigzag;
using ftr::zigzag;
using recording::Record;

namespace {

constexpr uint32_t kKindShift = 48;
constexpr uint32_t kSizeShift = 56;

// Addresses have 48 bits; differences are taken modulo that.
int64_t difference(uint64_t to, uint64_t from) {
  return static_cast<int64_t>((to - from) << 16) >> 16;
}

char* put_varint(char* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<char>(value);
  return to;
}

}  // namespace

size_t PlainRecords::read(std::span<Record> records) {
  const size_t count = std::min(records.size(), bytes_.size() / sizeof(Record));
  if (count == 0) return 0;
  std::memcpy(records.data(), bytes_.data(), count * sizeof(Record));
  bytes_.remove_prefix(count * sizeof(Record));
  return count;
}

bool PlainRecords::is_damaged() const { return !bytes_.empty() && bytes_.size() < sizeof(Record); }

inline char* RecordEncoder::put(const Record& record, char* text) {
  char* end = text + 1;
  const auto kind = static_cast<uint8_t>(record.head >> kKindShift);
  const auto size = static_cast<uint8_t>(record.head >> kSizeShift);
  uint8_t head = 0;
  uint16_t slot = places_[last_.place].next;
  if (places_[slot].key != key_of(record.site(), kind, size)) {
    head |= kPlaceGiven;
    *end++ = static_cast<char>(kind);
    *end++ = static_cast<char>(size);
    end = put_varint(end, record.site());
    slot = find(record.site(), kind, size);
    places_[last_.place].next = slot;
  }
  Place& place = places_[slot];
  const uint64_t address = record.address();
  const int64_t from_place = difference(address, place.address);
  if (address == ((place.address + place.stride) & Record::kAddressMask)) {
    head |= kStride;
  } else if (from_place == 0) {
    head |= kSame;
  } else if (difference(address, last_.address(place.partner)) == place.distance) {
    head |= kStride | kAsPartner;
  } else {
    // The smallest of all; the numbers below it say which it is. Random as they are, to branch
    // for each would cost more.
    constexpr uint32_t kChoices = 3;
    uint64_t nearest = zigzag(from_place) << kChoices | kPartners;
    for (uint32_t i = 0; i < kPartners; ++i) {
      const uint64_t from_partner = zigzag(difference(address, last_.address(i)));
      nearest = std::min(nearest, from_partner << kChoices | i);
    }
    const auto partner = static_cast<uint32_t>(nearest) % (1U << kChoices);
    nearest >>= kChoices;
    end = put_varint(end, nearest);
    if (partner == kPartners) {
      head |= kFromPlace;
    } else {
      head |= static_cast<uint8_t>(kFromLast | partner << kPartnerShift);
      place.partner = partner;
      place.distance = unzigzag(nearest);
    }
  }
  const uint32_t upper = record.upper();
  if ((kind & kStampedKind) != 0) {
    if (upper != last_.stamp + 1) {
      head |= kUpperGiven;
      end = put_varint(end, upper - last_.stamp);
    }
    last_.stamp = upper;
  } else if (recording::can_name_stack(kind)) {
    if (upper != last_.stack) {
      head |= kUpperGiven;
      end = put_varint(end, zigzag(int64_t{upper} - int64_t{last_.stack}));
    }
    last_.stack = upper;
  } else if (upper != place.upper) {
    head |= kUpperGiven;
    end = put_varint(end, upper);
  }
  text[0] = static_cast<char>(head);
  place.stride = static_cast<uint64_t>(from_place);
  place.address = address;
  place.upper = upper;
  last_.add(address);
  last_.place = slot;
  return end;
}

void RecordEncoder::add(std::span<const Record> records, std::string& bytes) {
  constexpr size_t kAtOnce = 256;
  char buffer[kAtOnce * kMostBytes];
  while (!records.empty()) {
    const std::span<const Record> now = records.first(std::min(kAtOnce, records.size()));
    char* end = buffer;
    for (const Record& record : now) end = put(record, end);
    bytes.append(buffer, static_cast<size_t>(end - buffer));
    records = records.subspan(now.size());
  }
}

inline uint64_t RecordDecoder::Bytes::varint() {
  if (next != end && static_cast<signed char>(*next) >= 0) return static_cast<uint64_t>(*next++);
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < 64 && next != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*next++);
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  damaged = true;
  return 0;
}

inline bool RecordDecoder::decode(Record& record, Bytes& bytes, Last& last) {
  if (bytes.next == bytes.end || bytes.damaged) return false;
  const auto head = static_cast<uint8_t>(*bytes.next++);
  uint16_t slot = places_[last.place].next;
  if ((head & kPlaceGiven) != 0) {
    if (bytes.end - bytes.next < 3) {
      bytes.damaged = true;
      return false;
    }
    const auto kind = static_cast<uint8_t>(*bytes.next++);
    const auto size = static_cast<uint8_t>(*bytes.next++);
    const auto site = static_cast<uint32_t>(bytes.varint());
    slot = find(site, kind, size);
    places_[last.place].next = slot;
  }
  Place& place = places_[slot];
  const auto kind = static_cast<uint8_t>(place.key >> 32);
  uint64_t address = place.address;
  switch (head & kAddressMode) {
    case kStride:
      if ((head & kAsPartner) != 0) {
        address = last.address(place.partner) + static_cast<uint64_t>(place.distance);
      } else {
        address += place.stride;
      }
      break;
    case kFromPlace:
      address += static_cast<uint64_t>(unzigzag(bytes.varint()));
      break;
    case kFromLast:
      place.partner = head >> kPartnerShift & (kPartners - 1);
      place.distance = unzigzag(bytes.varint());
      address = last.address(place.partner) + static_cast<uint64_t>(place.distance);
      break;
    default:
      break;
  }
  address &= Record::kAddressMask;
  uint32_t upper = place.upper;
  const bool stamped = (kind & kStampedKind) != 0;
  if (stamped) upper = last.stamp + 1;
  const bool is_stack = recording::can_name_stack(kind);
  if (is_stack) upper = last.stack;
  if ((head & kUpperGiven) != 0) {
    const uint64_t given = bytes.varint();
    upper = is_stack ? last.stack + static_cast<uint32_t>(unzigzag(given))
                     : static_cast<uint32_t>(given) + (stamped ? last.stamp : 0);
  }
  if (bytes.damaged) return false;
  if (stamped) last.stamp = upper;
  if (is_stack) last.stack = upper;
  place.stride = static_cast<uint64_t>(difference(address, place.address));
  place.address = address;
  place.upper = upper;
  last.add(address);
  last.place = slot;
  record.head = address | place.key >> 32 << kKindShift;
  record.tail = static_cast<uint32_t>(place.key) | uint64_t{upper} << 32;
  return true;
}

// With copies of what changes from record to record, which stay in registers.
size_t RecordDecoder::read(std::span<Record> records) {
  Bytes bytes = bytes_;
  Last last = last_;
  size_t count = 0;
  while (count < records.size() && decode(records[count], bytes, last)) ++count;
  bytes_ = bytes;
  last_ = last;
  return count;
}

}  // namespace foretrace
