// SPDX-License-Identifier: Apache-2.0
#include "api/decode/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "api/document/kind_name.h"
#include "base/assert.h"
#include "base/text.h"

namespace berth::api {
namespace {

// What stands in the document, in few words.
std::string_view Describe(Value value) {
  constexpr size_t kShort = 40;
  return value.is_number() && value.text().size() <= kShort ? value.text() : NameOf(value.kind());
}

}  // namespace

FieldReader::FieldReader(Value value, std::string path) : value_(value), root_(this), root_path_(std::move(path)) {
  if (!value_.is_null()) Expect(Value::Kind::kMap);
}

// After an error every reader stands at null, so that nothing more is read.
FieldReader::FieldReader(FieldReader& parent, std::string_view name, Value value)
    : value_(parent.ok() ? value : Value()), root_(parent.root_), parent_(&parent), name_(name) {}

FieldReader::FieldReader(FieldReader& parent, size_t index, Value value)
    : value_(parent.ok() ? value : Value()), root_(parent.root_), parent_(&parent), index_(index), is_element_(true) {}

FieldReader FieldReader::Child(std::string_view name) {
  const Value child = value_[name];
  if (!child.is_null()) FieldReader(*this, name, child).Expect(Value::Kind::kMap);
  return {*this, name, child};
}

Error FieldReader::error(std::string_view subject) const {
  BERTH_ASSERT(!ok());
  const auto& [line, path, reason] = *root_->failure_;
  std::string message;
  if (line != 0) message += fmt::format("line {}: ", line);
  if (!subject.empty()) message += fmt::format("{}: ", subject);
  if (!path.empty()) message += fmt::format("{}: ", path);
  return {Code::kInvalid, message + reason};
}

void FieldReader::Fail(std::string reason) {
  if (ok()) root_->failure_ = Failure{value_.line(), Path(), std::move(reason)};
}

std::string FieldReader::Path() const {
  if (parent_ == nullptr) return root_path_;
  const std::string above = parent_->Path();
  if (is_element_) return fmt::format("{}[{}]", above, index_);
  return above.empty() ? std::string(name_) : fmt::format("{}.{}", above, name_);
}

std::vector<size_t> FieldReader::InKeyOrder() const {
  std::vector<size_t> order(value_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int names = value_.key(a).compare(value_.key(b));
    return names != 0 ? names < 0 : a < b;
  });
  return order;
}

bool FieldReader::Expect(Value::Kind kind) {
  if (value_.kind() == kind) return true;
  if (ok()) Fail(fmt::format("expected {}, found {}", NameOf(kind), Describe(value_)));
  return false;
}

std::optional<int64_t> FieldReader::Integer(int64_t min, int64_t max, std::string_view expected) {
  const std::optional<int64_t> number = value_.AsInt();
  if (number && *number >= min && *number <= max) return number;
  Fail(fmt::format("expected {}, found {}", expected, Describe(value_)));
  return std::nullopt;
}

void FieldReader::Store(std::string& out) {
  if (Expect(Value::Kind::kString)) out = value_.text();
}

void FieldReader::Store(bool& out) {
  if (Expect(Value::Kind::kBool)) out = value_.AsBool().value_or(false);
}

void FieldReader::Store(int32_t& out) {
  using Limits = std::numeric_limits<int32_t>;
  if (const auto number = Integer(Limits::min(), Limits::max(), "a 32-bit integer"))
    out = static_cast<int32_t>(*number);
}

void FieldReader::Store(int64_t& out) {
  using Limits = std::numeric_limits<int64_t>;
  if (const auto number = Integer(Limits::min(), Limits::max(), "an integer")) out = *number;
}

void FieldReader::Store(Quantity& out) {
  if (!value_.is_number() && !Expect(Value::Kind::kString)) return;
  Result<Quantity> quantity = Quantity::Parse(Trim(value_.text()));
  if (!quantity) return Fail(std::move(quantity).error().message);
  out = *std::move(quantity);
}

void FieldReader::Store(Time& out) {
  if (!Expect(Value::Kind::kString)) return;
  Result<Time> time = ParseTime(value_.text());
  if (!time) return Fail(std::move(time).error().message);
  out = *time;
}

void FieldReader::Store(Labels& out) {
  if (!Expect(Value::Kind::kMap)) return;
  std::vector<Labels::Entry> entries(value_.size());
  for (size_t i = 0; i < entries.size() && ok(); ++i) {
    FieldReader entry(*this, value_.key(i), value_[i]);
    entries[i].first = entry.name_;
    if (!entry.value_.is_null()) entry.Store(entries[i].second);
  }
  out = Labels::FromUnsorted(std::move(entries));
}

void FieldReader::Store(ResourceList& out) {
  if (!Expect(Value::Kind::kMap)) return;
  out = ResourceList();
  for (size_t i : InKeyOrder()) {
    FieldReader entry(*this, value_.key(i), value_[i]);
    Quantity quantity;
    if (!entry.value_.is_null()) entry.Store(quantity);
    out.Set(std::string(entry.name_), std::move(quantity));
  }
}

void FieldReader::Store(std::vector<std::string>& out) {
  if (!Expect(Value::Kind::kList)) return;
  out.clear();
  out.resize(value_.size());
  for (size_t i = 0; i < out.size() && ok(); ++i) {
    FieldReader element(*this, i, value_[i]);
    if (!element.value_.is_null()) element.Store(out[i]);
  }
}

}  // namespace berth::api
