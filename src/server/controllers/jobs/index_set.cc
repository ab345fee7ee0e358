// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/index_set.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace berth::server {
namespace {

std::optional<int64_t> ReadIndex(std::string_view text) {
  int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0) return std::nullopt;
  return index;
}

}  // namespace

IndexSet::IndexSet(const std::vector<int64_t>& indexes) {
  for (const int64_t index : indexes) ranges_.push_back({index, index});
  Join();
}

IndexSet IndexSet::Parse(std::string_view text, int64_t completions) {
  IndexSet set;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), range.size() + 1));
    const size_t dash = range.find('-');
    const std::optional<int64_t> first = ReadIndex(range.substr(0, dash));
    const std::optional<int64_t> last = dash == range.npos ? first : ReadIndex(range.substr(dash + 1));
    if (!first || !last || *last < *first || *first >= completions) continue;
    set.ranges_.push_back({*first, std::min(*last, completions - 1)});
  }
  set.Join();
  return set;
}

void IndexSet::Add(const IndexSet& other) {
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  Join();
}

void IndexSet::Join() {
  std::ranges::sort(ranges_, {}, &Range::first);
  std::vector<Range> joined;
  for (const Range& range : ranges_) {
    if (joined.empty() || range.first > joined.back().last + 1) {
      joined.push_back(range);
    } else {
      joined.back().last = std::max(joined.back().last, range.last);
    }
  }
  ranges_ = std::move(joined);
}

bool IndexSet::Has(int64_t index) const {
  const auto found = std::ranges::lower_bound(ranges_, index, {}, &Range::last);
  return found != ranges_.end() && found->first <= index;
}

int64_t IndexSet::size() const {
  int64_t size = 0;
  for (const Range& range : ranges_) size += range.last - range.first + 1;
  return size;
}

int64_t IndexSet::CountCommon(const IndexSet& other) const {
  int64_t count = 0;
  auto mine = ranges_.begin();
  auto theirs = other.ranges_.begin();
  while (mine != ranges_.end() && theirs != other.ranges_.end()) {
    count += std::max<int64_t>(0, std::min(mine->last, theirs->last) - std::max(mine->first, theirs->first) + 1);
    if (mine->last < theirs->last) {
      ++mine;
    } else {
      ++theirs;
    }
  }
  return count;
}

std::vector<int64_t> IndexSet::FirstMissing(size_t count, int64_t completions) const {
  std::vector<int64_t> missing;
  int64_t next = 0;
  const auto take_up_to = [&](int64_t end) {
    for (; next < end && missing.size() < count; ++next) missing.push_back(next);
  };
  for (const Range& range : ranges_) {
    if (missing.size() == count) return missing;
    take_up_to(std::min(range.first, completions));
    next = range.last + 1;
  }
  take_up_to(completions);
  return missing;
}

std::string IndexSet::ToText() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += (last == first + 1 ? ',' : '-') + std::to_string(last);
  }
  return text;
}

}  // namespace berth::server
