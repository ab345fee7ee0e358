// SPDX-License-Identifier: Apache-2.0
#include "framework/args/strict_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "api/document/field_error.h"
#include "base/time.h"

namespace berth::framework {
namespace {

constexpr size_t kStrictErrorsMax = 100;

std::string_view KindName(api::Value value) {
  switch (value.kind()) {
    case api::Value::Kind::kNull: return "null";
    case api::Value::Kind::kBool: return "a boolean";
    case api::Value::Kind::kNumber: return "a number";
    case api::Value::Kind::kString: return "a string";
    case api::Value::Kind::kList: return "a list";
    case api::Value::Kind::kMap: return "an object";
  }
  return "";
}

std::string_view GoKindName(api::Value value) {
  if (value.is_list()) return "array";
  if (value.is_map()) return "object";
  return value.is_bool() ? "bool" : "number";
}

template <class T>
void DecodeInteger(StrictDecoder& decoder, api::Value value, T& out) {
  if (value.is_null()) return;
  const std::optional<int64_t> number = value.AsInt();
  const bool is_written_as_integer = value.text().find_first_of(".eE") == std::string_view::npos;
  if (!number || !std::in_range<T>(*number) || (decoder.format() == SourceFormat::kJson && !is_written_as_integer)) {
    return decoder.Mismatch(value, sizeof(T) == 4 ? "a 32-bit integer" : "a 64-bit integer");
  }
  out = static_cast<T>(*number);
}

}  // namespace

std::vector<size_t> ReadingOrder(api::Value map, SourceFormat format) {
  std::vector<size_t> order(map.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (format == SourceFormat::kJson) return order;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return map.key(i); });
  std::vector<size_t> last_of_each;
  for (const size_t i : order) {
    if (!last_of_each.empty() && map.key(last_of_each.back()) == map.key(i)) last_of_each.pop_back();
    last_of_each.push_back(i);
  }
  return last_of_each;
}

void StrictDecoder::Mismatch(api::Value value, std::string_view expected) {
  if (mismatch_) return;
  mismatch_ = fmt::format("field {}: expected {}, got {}", path_.empty() ? "(root)" : path_, expected, KindName(value));
  if (value.is_string() || value.is_number()) *mismatch_ += " " + api::GoQuote(value.text());
}

void StrictDecoder::NoDuration(api::Value value) {
  std::string place;  // Without indices.
  for (size_t at = 0; at < path_.size(); ++at) {
    if (path_[at] == '[') at = path_.find(']', at) + 1;
    if (at < path_.size()) place += path_[at];
  }
  Fail(fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type string", GoKindName(value),
                   place.starts_with("extenders.") ? "Extender" : "LeaderElectionConfiguration", place));
}

void StrictDecoder::Fail(std::string message) {
  if (!mismatch_) mismatch_ = std::move(message);
}

std::string StrictDecoder::PathTo(std::string_view field) const { return api::ChildPath(path_, field); }

void StrictDecoder::Strict(std::string_view kind, std::string_view field) {
  std::string message = fmt::format("{} field {}", kind, api::GoQuote(PathTo(field)));
  if (strict_errors_.size() >= kStrictErrorsMax || std::ranges::find(strict_errors_, message) != strict_errors_.end()) {
    return;
  }
  strict_errors_.push_back(std::move(message));
}

void StrictDecoder::Map(api::Value value, api::Labels& out) {
  if (value.is_null()) return;
  if (!value.is_map()) return Mismatch(value, "an object");
  for (const size_t member : ReadingOrder(value, format_)) {
    const std::string name(value.key(member));
    if (out.Has(name)) Strict("duplicate", name);
    const size_t length = path_.size();
    path_ = PathTo(name);
    std::string text;
    Decode(*this, value[member], text);
    out.Set(name, std::move(text));
    path_.resize(length);
  }
}

void Decode(StrictDecoder& decoder, api::Value value, bool& out) {
  if (value.is_null()) return;
  const std::optional<bool> truth = value.AsBool();
  if (!truth) return decoder.Mismatch(value, "a boolean");
  out = *truth;
}

void Decode(StrictDecoder& decoder, api::Value value, int32_t& out) { DecodeInteger(decoder, value, out); }

void Decode(StrictDecoder& decoder, api::Value value, int64_t& out) { DecodeInteger(decoder, value, out); }

void Decode(StrictDecoder& decoder, api::Value value, float& out) {
  if (value.is_null()) return;
  const std::optional<double> number = value.is_number() ? value.AsDouble() : std::nullopt;
  if (!number || !(std::abs(*number) <= std::numeric_limits<float>::max())) {
    return decoder.Mismatch(value, "a 32-bit floating point number");
  }
  out = static_cast<float>(*number);
}

void Decode(StrictDecoder& decoder, api::Value value, std::string& out) {
  if (value.is_null()) return;
  if (!value.is_string()) return decoder.Mismatch(value, "a string");
  out = value.text();
}

void Decode(StrictDecoder& decoder, api::Value value, api::Quantity& out) {
  if (value.is_null()) return;
  Result<api::Quantity> quantity = api::Quantity::Parse(value.is_string() || value.is_number() ? value.text() : "");
  if (!quantity) return decoder.Mismatch(value, "a quantity");
  out = *std::move(quantity);
}

void Decode(StrictDecoder& decoder, api::Value value, Duration& out) {
  if (!value.is_string() && !value.is_null()) return decoder.NoDuration(value);
  const Result<Duration> duration = ParseDuration(value.text());
  if (!duration) return decoder.Fail(duration.error().message);
  out = *duration;
}

}  // namespace berth::framework
