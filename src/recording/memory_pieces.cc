#include "recording/memory_pieces.h"

#include <algorithm>
#include <numeric>

namespace foretrace {
namespace {

// By when they are there, and by address. Many are there since then because some block began;
// of each time there are few.
void sort(std::vector<MemoryPiece>& pieces) {
  uint32_t most = 0;
  for (const MemoryPiece& piece : pieces) most = std::max(most, piece.since);
  std::vector<uint32_t> behind(size_t{most} + 2);  // so many pieces come before each time
  for (const MemoryPiece& piece : pieces) ++behind[piece.since + 1];
  std::partial_sum(behind.begin(), behind.end(), behind.begin());
  std::vector<MemoryPiece> sorted(pieces.size());
  for (const MemoryPiece& piece : pieces) sorted[behind[piece.since]++] = piece;
  const auto by_address = [](const MemoryPiece& a, const MemoryPiece& b) {
    return a.address < b.address;
  };
  for (size_t first = 0; first < sorted.size();) {
    const size_t end = behind[sorted[first].since];
    std::sort(sorted.begin() + static_cast<ptrdiff_t>(first),
              sorted.begin() + static_cast<ptrdiff_t>(end), by_address);
    first = end;
  }
  pieces = std::move(sorted);
}

}  // namespace

MemoryPieces::MemoryPieces(std::vector<MemoryPiece> pieces, NewLocation new_location)
    : pieces_(std::move(pieces)), new_location_(std::move(new_location)) {
  sort(pieces_);
  for (const MemoryPiece& piece : pieces_) {
    begin_ = std::min(begin_, piece.address);
    end_ = std::max(end_, piece.address + piece.bytes);
  }
  add_pieces();
}

void MemoryPieces::add_pieces() {
  while (next_ < pieces_.size() && pieces_[next_].since <= forgotten_) {
    // Those of a page at once.
    const uint64_t number = pieces_[next_].address / kSurveyPage;
    Page& page = pages_[number];
    ++changes_of(number);
    had_pieces_.set(bit_of(number));
    const size_t before = page.size();
    for (; next_ < pieces_.size() && pieces_[next_].since <= forgotten_ &&
           pieces_[next_].address / kSurveyPage == number;
         ++next_) {
      page.push_back({static_cast<uint16_t>(pieces_[next_].address % kSurveyPage),
                      static_cast<uint16_t>(pieces_[next_].bytes), kNone});
    }
    std::inplace_merge(page.begin(), page.begin() + static_cast<ptrdiff_t>(before), page.end(),
                       [](const Place& a, const Place& b) { return a.first < b.first; });
  }
}

std::span<const LocationId> MemoryPieces::look_up(uint64_t first_address, uint64_t bytes) {
  located_.clear();
  const uint64_t end = first_address + bytes;
  for (uint64_t address = first_address; address < end;) {
    const uint64_t number = address / kSurveyPage;
    const uint64_t page_end = std::min(end, (number + 1) * kSurveyPage);
    const auto page = pages_.find(number);
    if (page != pages_.end()) {
      const uint64_t start = number * kSurveyPage;
      Page& places = page.value();
      auto place =
          std::lower_bound(places.begin(), places.end(), address - start,
                           [](const Place& known, uint64_t first) { return known.first < first; });
      for (; place != places.end() && start + place->first < page_end; ++place) {
        if (place->location == kNone) {
          place->location = new_location_(start + place->first, place->bytes);
        }
        located_.push_back(place->location);
      }
    }
    address = page_end;
  }
  const uint64_t first_page = first_address / kSurveyPage;
  if (located_.size() <= 1 && bytes > 0 && (end - 1) / kSurveyPage == first_page) {
    answers_[slot_of(first_address)] = {first_address, bytes, changes_of(first_page),
                                        located_.empty() ? kNone : located_[0]};
  }
  return located_;
}

void MemoryPieces::add_known(const Page& page, uint64_t start, uint64_t first, uint64_t end) {
  for (const Place& place : page) {
    const uint64_t at = start + place.first;
    if (place.location != kNone && at >= first && at < end) located_.push_back(place.location);
  }
}

// A block may have more pages than there are.
std::span<const LocationId> MemoryPieces::known(uint64_t address, uint64_t bytes) {
  located_.clear();
  if (bytes == 0) return {};
  const uint64_t end = address + bytes;
  const uint64_t first = address / kSurveyPage;
  const uint64_t last = (end - 1) / kSurveyPage;
  const auto add = [&](Pages::const_iterator page) {
    if (page != pages_.end()) add_known(page->second, page->first * kSurveyPage, address, end);
  };
  if (last - first < pages_.size()) {
    for (uint64_t number = first; number <= last; ++number) add(pages_.find(number));
    return located_;
  }
  std::vector<uint64_t> numbers;
  for (const auto& [number, page] : pages_) {
    if (number >= first && number <= last) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const uint64_t number : numbers) add(pages_.find(number));
  return located_;
}

void MemoryPieces::forget(uint64_t address, uint64_t bytes) {
  ++forgotten_;
  if (bytes > 0) {
    const uint64_t first = address / kSurveyPage;
    const uint64_t last = (address + bytes - 1) / kSurveyPage;
    if (last - first < pages_.size()) {
      for (uint64_t number = first; number <= last; ++number) {
        forget_in(pages_.find(number), address, address + bytes);
      }
    } else {
      for (auto page = pages_.begin(); page != pages_.end(); ++page) {
        if (page->first >= first && page->first <= last) forget_in(page, address, address + bytes);
      }
    }
  }
  add_pieces();
}

void MemoryPieces::forget_in(Pages::iterator page, uint64_t first, uint64_t end) {
  if (page == pages_.end()) return;
  const uint64_t start = page->first * kSurveyPage;
  ++changes_of(page->first);
  std::erase_if(page.value(), [&](const Place& place) {
    return start + place.first >= first && start + place.first < end;
  });
}

}  // namespace foretrace
