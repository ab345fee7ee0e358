// SPDX-License-Identifier: Apache-2.0
#include "base/big_int.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace berth {
namespace {

constexpr size_t kLimbDigits = 9;
constexpr uint32_t kLimbBase = 1'000'000'000;
constexpr uint32_t kPowersOfTen[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

std::string LimbDigits(uint32_t limb) {
  std::string digits(kLimbDigits, '0');
  for (size_t i = kLimbDigits; limb != 0; limb /= 10) digits[--i] = static_cast<char>('0' + limb % 10);
  return digits;
}

}  // namespace

BigInt::BigInt(int64_t value) : negative_(value < 0) {
  // Negated as unsigned, since the lowest int64 has no positive counterpart.
  uint64_t magnitude = negative_ ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  for (; magnitude != 0; magnitude /= kLimbBase) limbs_.push_back(static_cast<uint32_t>(magnitude % kLimbBase));
}

BigInt BigInt::FromDigits(std::string_view digits) {
  BigInt result;
  result.limbs_.reserve(digits.size() / kLimbDigits + 1);
  while (!digits.empty()) {
    const size_t begin = digits.size() - std::min(digits.size(), kLimbDigits);
    uint32_t limb = 0;
    for (const char digit : digits.substr(begin)) limb = limb * 10 + static_cast<uint32_t>(digit - '0');
    result.limbs_.push_back(limb);
    digits = digits.substr(0, begin);
  }
  result.Trim();
  return result;
}

size_t BigInt::DigitCount() const {
  if (is_zero()) return 0;
  size_t count = (limbs_.size() - 1) * kLimbDigits;
  for (uint32_t limb = limbs_.back(); limb != 0; limb /= 10) ++count;
  return count;
}

int64_t BigInt::Low64() const {
  uint64_t bits = 0;
  for (size_t i = limbs_.size(); i-- > 0;) bits = bits * kLimbBase + limbs_[i];
  return static_cast<int64_t>(negative_ ? 0 - bits : bits);
}

std::string BigInt::Digits() const {
  if (is_zero()) return "0";
  std::string digits = LimbDigits(limbs_.back());
  digits.erase(0, digits.find_first_not_of('0'));
  digits.reserve(limbs_.size() * kLimbDigits);
  for (size_t i = limbs_.size() - 1; i-- > 0;) digits += LimbDigits(limbs_[i]);
  return digits;
}

void BigInt::MultiplyBy(uint32_t factor) {
  uint64_t carry = 0;
  for (uint32_t& limb : limbs_) {
    carry += uint64_t{limb} * factor;
    limb = static_cast<uint32_t>(carry % kLimbBase);
    carry /= kLimbBase;
  }
  for (; carry != 0; carry /= kLimbBase) limbs_.push_back(static_cast<uint32_t>(carry % kLimbBase));
  Trim();
}

uint32_t BigInt::DivideBy(uint32_t divisor) {
  BERTH_ASSERT(divisor != 0);
  uint64_t remainder = 0;
  for (size_t i = limbs_.size(); i-- > 0;) {
    remainder = remainder * kLimbBase + limbs_[i];
    limbs_[i] = static_cast<uint32_t>(remainder / divisor);
    remainder %= divisor;
  }
  Trim();
  return static_cast<uint32_t>(remainder);
}

void BigInt::ShiftLeft(size_t digits) {
  if (is_zero()) return;
  MultiplyBy(kPowersOfTen[digits % kLimbDigits]);
  limbs_.insert(limbs_.begin(), digits / kLimbDigits, 0);
}

bool BigInt::ShiftRight(size_t digits) {
  const size_t whole = std::min(digits / kLimbDigits, limbs_.size());
  const auto cut = limbs_.begin() + static_cast<std::ptrdiff_t>(whole);
  bool exact = std::all_of(limbs_.begin(), cut, [](uint32_t limb) { return limb == 0; });
  limbs_.erase(limbs_.begin(), cut);
  exact &= DivideBy(kPowersOfTen[digits % kLimbDigits]) == 0;
  return exact;
}

BigInt& BigInt::operator+=(const BigInt& other) {
  if (negative_ == other.negative_) {
    AddMagnitude(other);
  } else if (CompareMagnitude(other) >= 0) {
    SubtractMagnitude(other);
  } else {
    BigInt larger = other;
    larger.SubtractMagnitude(*this);
    *this = std::move(larger);
  }
  return *this;
}

std::strong_ordering BigInt::operator<=>(const BigInt& other) const {
  if (negative_ != other.negative_) return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  return negative_ ? other.CompareMagnitude(*this) : CompareMagnitude(other);
}

void BigInt::Trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  if (limbs_.empty()) negative_ = false;
}

std::strong_ordering BigInt::CompareMagnitude(const BigInt& other) const {
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() <=> other.limbs_.size();
  return std::lexicographical_compare_three_way(limbs_.rbegin(), limbs_.rend(), other.limbs_.rbegin(),
                                                other.limbs_.rend());
}

void BigInt::AddMagnitude(const BigInt& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()) + 1);
  uint32_t carry = 0;
  for (size_t i = 0; i < limbs_.size(); ++i) {
    const uint32_t sum = limbs_[i] + carry + (i < other.limbs_.size() ? other.limbs_[i] : 0);
    carry = sum >= kLimbBase ? 1 : 0;
    limbs_[i] = sum - carry * kLimbBase;
  }
  Trim();
}

void BigInt::SubtractMagnitude(const BigInt& smaller) {
  uint32_t borrow = 0;
  for (size_t i = 0; i < limbs_.size(); ++i) {
    const uint32_t taken = borrow + (i < smaller.limbs_.size() ? smaller.limbs_[i] : 0);
    borrow = limbs_[i] < taken ? 1 : 0;
    limbs_[i] += borrow * kLimbBase - taken;
  }
  Trim();
}

}  // namespace berth
