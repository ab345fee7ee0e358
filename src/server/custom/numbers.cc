// SPDX-License-Identifier: Apache-2.0
#include "server/custom/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/document/json_writer.h"

namespace berth::server {
namespace {

bool IsNormal(const Json& number) {
  const std::string& text = number.text();
  const bool is_plain = text.find_first_of(".eE") == std::string::npos && text != "-0";
  return is_plain && number.AsInt();
}

bool IsAllNormal(const Json& tree) {
  if (tree.is_number()) return IsNormal(tree);
  return std::ranges::all_of(tree.items(), IsAllNormal) &&
         std::ranges::all_of(tree.members(), [](const Json::Member& member) { return IsAllNormal(member.value); });
}

Result<void> NormalizeNumber(Json& number) {
  const std::string text = number.text();
  if (text == "-0") {
    number = Json::Int(0);
    return {};
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_tiny = error == std::errc::result_out_of_range && text.find("e-") != std::string::npos;
  if (error != std::errc() && !is_tiny) {
    return Invalid(fmt::format("json: cannot unmarshal number {} into Go value of type float64", text));
  }
  std::string normal;
  api::AppendDouble(normal, is_tiny ? 0 : value);
  number = Json::Number(std::move(normal));
  return {};
}

Result<void> Normalize(Json& tree) {
  if (tree.is_number()) return IsNormal(tree) ? Result<void>() : NormalizeNumber(tree);
  if (tree.is_list()) {
    for (Json& item : tree.mutable_items()) BERTH_CHECK_OK(Normalize(item));
  } else if (tree.is_map()) {
    for (Json::Member& member : tree.mutable_members()) BERTH_CHECK_OK(Normalize(member.value));
  }
  return {};
}

}  // namespace

Result<void> NormalizeNumbers(Json& tree) {
  if (IsAllNormal(tree)) return {};  // So that what is shared stays shared.
  return Normalize(tree);
}

std::string PrintedDouble(double number) {
  constexpr int kExponent = 6;  // From which on there is one.
  char buffer[64];
  const auto as = [&](std::chars_format format) {
    return std::string(buffer, std::to_chars(std::begin(buffer), std::end(buffer), number, format).ptr);
  };
  std::string scientific = as(std::chars_format::scientific);
  int exponent = 0;
  const size_t at = scientific.find('e') + 1;
  const char* const begin = scientific.data() + at + (scientific[at] == '+' ? 1 : 0);
  std::from_chars(begin, scientific.data() + scientific.size(), exponent);
  return exponent < -4 || exponent >= kExponent ? scientific : as(std::chars_format::fixed);
}

}  // namespace berth::server
