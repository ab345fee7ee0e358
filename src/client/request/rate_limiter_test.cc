// SPDX-License-Identifier: Apache-2.0
#include "client/request/rate_limiter.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth::client {
namespace {

constexpr Time kStart{1'000'000'000'000};

std::vector<uint64_t> AdmitAll(RateLimiter& limiter, Time now) {
  std::vector<uint64_t> admitted;
  while (std::optional<uint64_t> call = limiter.Admit(now)) admitted.push_back(*call);
  return admitted;
}

TEST(RateLimiter, AdmitsABurstAndThenOneCallPerTokenInOrder) {
  RateLimiter limiter(10, 3);
  for (uint64_t call = 1; call <= 6; ++call) limiter.Join(call);

  EXPECT_EQ(AdmitAll(limiter, kStart), (std::vector<uint64_t>{1, 2, 3}));
  std::optional<Time> next = limiter.NextAt(kStart);
  ASSERT_TRUE(next);
  EXPECT_NEAR(static_cast<double>((*next - kStart).nanos), 1e8, 2);
  EXPECT_TRUE(AdmitAll(limiter, kStart + Milliseconds(99)).empty());
  EXPECT_EQ(AdmitAll(limiter, *next), (std::vector<uint64_t>{4}));
  EXPECT_EQ(AdmitAll(limiter, kStart + Milliseconds(301)), (std::vector<uint64_t>{5, 6}));
  EXPECT_FALSE(limiter.NextAt(kStart + Seconds(1)));
}

TEST(RateLimiter, NeverHoldsMoreTokensThanTheBurst) {
  RateLimiter limiter(100, 2);
  for (uint64_t call = 1; call <= 10; ++call) limiter.Join(call);

  EXPECT_EQ(AdmitAll(limiter, kStart).size(), 2u);
  EXPECT_EQ(AdmitAll(limiter, kStart + Minutes(10)).size(), 2u);
}

TEST(RateLimiter, ACallThatLeavesCostsNoToken) {
  RateLimiter limiter(1, 1);
  for (uint64_t call = 1; call <= 3; ++call) limiter.Join(call);
  EXPECT_EQ(limiter.Admit(kStart), 1u);

  limiter.Leave(2);
  limiter.Leave(7);

  EXPECT_EQ(AdmitAll(limiter, kStart + Seconds(1)), (std::vector<uint64_t>{3}));
}

TEST(RateLimiter, WithoutARateEveryCallGoesAtOnce) {
  for (double qps : {0.0, -1.0}) {
    RateLimiter limiter(qps, 1);
    for (uint64_t call = 1; call <= 1000; ++call) limiter.Join(call);
    EXPECT_EQ(AdmitAll(limiter, kStart).size(), 1000u);
  }
}

TEST(RateLimiter, KeepsItsRateOverAnHour) {
  RateLimiter limiter(50, 100);
  for (uint64_t call = 1; call <= 200'000; ++call) limiter.Join(call);
  Time now = kStart;
  size_t admitted = 0;
  while (now < kStart + Minutes(60)) {
    admitted += AdmitAll(limiter, now).size();
    now = *limiter.NextAt(now) + Milliseconds(3);  // A timer that is late every time.
  }
  EXPECT_NEAR(static_cast<double>(admitted), 180'100, 2);
}

}  // namespace
}  // namespace berth::client
