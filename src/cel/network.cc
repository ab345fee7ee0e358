// SPDX-License-Identifier: Apache-2.0
#include "cel/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "api/document/field_error.h"
#include "base/ascii.h"
#include "cel/numbers.h"

namespace berth::cel {
namespace {

std::unexpected<Error> BadAddress(std::string_view in, std::string_view message, std::string_view at = {}) {
  std::string text = fmt::format("ParseAddr({}): {}", api::GoQuote(in), message);
  if (!at.empty()) text += fmt::format(" (at {})", api::GoQuote(at));
  return Invalid(std::move(text));
}

// Four numbers with dots between. `in` is the whole address, for messages.
Result<void> ReadV4(std::string_view in, std::string_view text, std::span<uint8_t> out) {
  int value = 0;
  int digits = 0;
  size_t field = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsDigit(text[i])) {
      if (digits == 1 && value == 0) return BadAddress(in, "IPv4 field has octet with leading zero");
      value = value * 10 + (text[i] - '0');
      ++digits;
      if (value > 255) return BadAddress(in, "IPv4 field has value >255");
    } else if (text[i] == '.') {
      if (i == 0 || i == text.size() - 1 || text[i - 1] == '.') {
        return BadAddress(in, "IPv4 field must have at least one digit", text.substr(i));
      }
      if (field == 3) return BadAddress(in, "IPv4 address too long");
      out[field++] = static_cast<uint8_t>(value);
      value = 0;
      digits = 0;
    } else {
      return BadAddress(in, "unexpected character", text.substr(i));
    }
  }
  if (field < 3) return BadAddress(in, "IPv4 address too short");
  out[3] = static_cast<uint8_t>(value);
  return {};
}

Result<IpAddress> ReadV6(std::string_view in) {
  std::string_view text = in;
  IpAddress address;
  if (const size_t percent = text.find('%'); percent != text.npos) {
    if (percent + 1 == text.size()) return BadAddress(in, "zone must be a non-empty string");
    text = text.substr(0, percent);
    address.has_zone = true;
  }
  std::optional<size_t> ellipsis;
  if (text.starts_with("::")) {
    ellipsis = 0;
    text.remove_prefix(2);
    if (text.empty()) return address;
  }
  size_t i = 0;
  while (i < 16) {
    size_t length = 0;
    uint32_t group = 0;
    for (; length < text.size(); ++length) {
      const int digit = HexDigit(text[length]);
      if (digit < 0) break;
      group = group << 4 | static_cast<uint32_t>(digit);
      if (length > 3) return BadAddress(in, "each group must have 4 or less digits", text);
    }
    if (length == 0) return BadAddress(in, "each colon-separated field must have at least one digit", text);
    if (length < text.size() && text[length] == '.') {
      if (!ellipsis && i != 12) {
        return BadAddress(in, "embedded IPv4 address must replace the final 2 fields of the address", text);
      }
      if (i + 4 > 16) {
        return BadAddress(in, "too many hex fields to fit an embedded IPv4 at the end of the address", text);
      }
      BERTH_CHECK_OK(ReadV4(in, text, std::span(address.bytes).subspan(i, 4)));
      text = {};
      i += 4;
      break;
    }
    address.bytes[i] = static_cast<uint8_t>(group >> 8);
    address.bytes[i + 1] = static_cast<uint8_t>(group);
    i += 2;
    text.remove_prefix(length);
    if (text.empty()) break;
    if (text[0] != ':') return BadAddress(in, "unexpected character, want colon", text);
    if (text.size() == 1) return BadAddress(in, "colon must be followed by more characters", text);
    text.remove_prefix(1);
    if (text[0] == ':') {
      if (ellipsis) return BadAddress(in, "multiple :: in address", text);
      ellipsis = i;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  if (!text.empty()) return BadAddress(in, "trailing garbage after address", text);
  if (i < 16) {
    if (!ellipsis) return BadAddress(in, "address string too short");
    const auto begin = address.bytes.begin() + static_cast<std::ptrdiff_t>(*ellipsis);
    std::rotate(begin, address.bytes.begin() + static_cast<std::ptrdiff_t>(i), address.bytes.end());
  } else if (ellipsis) {
    return BadAddress(in, "the :: must expand to at least one field of zeros");
  }
  return address;
}

// The longest run of zero groups, at least two, is left out.
std::string FormatV6(const std::array<uint8_t, 16>& bytes) {
  const auto group = [&bytes](size_t i) { return bytes[2 * i] << 8 | bytes[2 * i + 1]; };
  size_t best = 8;
  size_t best_end = 8;
  for (size_t i = 0; i < 8; ++i) {
    size_t end = i;
    while (end < 8 && group(end) == 0) ++end;
    if (end - i >= 2 && end - i > best_end - best) best = i, best_end = end;
  }
  std::string text;
  for (size_t i = 0; i < 8; ++i) {
    if (i == best) {
      text += "::";
      i = best_end;
      if (i >= 8) break;
    } else if (i > 0) {
      text += ':';
    }
    text += fmt::format("{:x}", group(i));
  }
  return text;
}

bool BitsAgree(const IpAddress& left, const IpAddress& right, uint32_t bits) {
  size_t i = left.is_v4 ? 12 : 0;
  for (; bits >= 8; bits -= 8, ++i) {
    if (left.bytes[i] != right.bytes[i]) return false;
  }
  return bits == 0 || ((left.bytes[i] ^ right.bytes[i]) >> (8 - bits)) == 0;
}

std::unexpected<Error> BadPrefix(std::string_view in, std::string_view message) {
  return Invalid(fmt::format("netip.ParsePrefix({}): {}", api::GoQuote(in), message));
}

}  // namespace

Result<IpAddress> IpAddress::Parse(std::string_view text) {
  const size_t mark = text.find_first_of(".:%");
  if (mark == text.npos) return BadAddress(text, "unable to parse IP");
  if (text[mark] == '%') return BadAddress(text, "missing IPv6 address");
  if (text[mark] == ':') return ReadV6(text);
  IpAddress address;
  address.is_v4 = true;
  BERTH_CHECK_OK(ReadV4(text, text, std::span(address.bytes).subspan(12)));
  return address;
}

std::string IpAddress::String() const {
  const std::string v4 = fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
  return is_v4 ? v4 : IsMappedV4() ? "::ffff:" + v4 : FormatV6(bytes);
}

bool IpAddress::IsMappedV4() const {
  return !is_v4 && bytes[10] == 0xFF && bytes[11] == 0xFF &&
         std::all_of(bytes.begin(), bytes.begin() + 10, [](uint8_t b) { return b == 0; });
}
bool IpAddress::IsUnspecified() const {
  return std::ranges::all_of(bytes, [](uint8_t b) { return b == 0; });
}
bool IpAddress::IsLoopback() const {
  if (is_v4) return bytes[12] == 127;
  return bytes[15] == 1 && std::all_of(bytes.begin(), bytes.end() - 1, [](uint8_t b) { return b == 0; });
}
bool IpAddress::IsLinkLocalMulticast() const {
  if (is_v4) return bytes[12] == 224 && bytes[13] == 0 && bytes[14] == 0;
  return bytes[0] == 0xFF && (bytes[1] & 0x0F) == 0x02;
}
bool IpAddress::IsLinkLocalUnicast() const {
  if (is_v4) return bytes[12] == 169 && bytes[13] == 254;
  return bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80;
}
bool IpAddress::IsGlobalUnicast() const {
  const bool is_broadcast = is_v4 && std::all_of(bytes.begin() + 12, bytes.end(), [](uint8_t b) { return b == 255; });
  const bool is_multicast = is_v4 ? (bytes[12] & 0xF0) == 0xE0 : bytes[0] == 0xFF;
  return !is_broadcast && !is_multicast && !IsUnspecified() && !IsLoopback() && !IsLinkLocalUnicast();
}

Result<Cidr> Cidr::Parse(std::string_view text) {
  const size_t slash = text.rfind('/');
  if (slash == text.npos) return BadPrefix(text, "no '/'");
  Cidr cidr;
  if (Result<IpAddress> address = IpAddress::Parse(text.substr(0, slash))) {
    cidr.address = *address;
  } else {
    return BadPrefix(text, address.error().message);
  }
  if (cidr.address.has_zone) return BadPrefix(text, "IPv6 zones cannot be present in a prefix");
  const std::string_view bits = text.substr(slash + 1);
  const std::optional<int64_t> number = ParseGoInt(bits);
  if (!number || (bits.size() > 1 && (bits[0] < '1' || bits[0] > '9'))) {
    return BadPrefix(text, "bad bits after slash: " + api::GoQuote(bits));
  }
  if (*number < 0 || *number > (cidr.address.is_v4 ? 32 : 128)) return BadPrefix(text, "prefix length out of range");
  cidr.bits = static_cast<uint32_t>(*number);
  return cidr;
}

std::string Cidr::String() const { return fmt::format("{}/{}", address.String(), bits); }

Cidr Cidr::Masked() const {
  Cidr masked = *this;
  uint32_t left = bits;
  for (size_t i = address.is_v4 ? 12 : 0; i < 16; ++i) {
    const uint32_t kept = std::min(left, 8U);
    masked.address.bytes[i] &= static_cast<uint8_t>(0xFF00 >> kept);
    left -= kept;
  }
  return masked;
}

bool Cidr::Contains(const IpAddress& other) const {
  return address.is_v4 == other.is_v4 && BitsAgree(address, other, bits);
}

bool Cidr::Contains(const Cidr& other) const {
  return address.is_v4 == other.address.is_v4 && bits <= other.bits && BitsAgree(address, other.address, bits);
}

}  // namespace berth::cel
