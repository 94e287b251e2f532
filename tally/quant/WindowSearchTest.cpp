//===- WindowSearchTest.cpp -----------------------------------------------===//

#include "tally/quant/WindowSearch.h"
#include "tally/quant/OracleForTests.h"

#include <gtest/gtest.h>

using namespace tally::quant;

static std::optional<int64_t> bruteForce(int64_t a, int64_t m, int64_t lo,
                                         int64_t hi, int64_t limit) {
  for (int64_t n = 0; n <= limit; ++n)
    if (int64_t rest = a * n % m; lo <= rest && rest <= hi)
      return n;
  return std::nullopt;
}

TEST(WindowSearch, equalsBruteForceOnSmallNumbers) {
  for (int64_t m = 1; m <= 24; ++m)
    for (int64_t a = 0; a < m; ++a)
      for (int64_t lo = 0; lo < m; ++lo)
        for (int64_t hi = lo; hi < m; ++hi)
          ASSERT_EQ(firstInWindow(a, m, lo, hi, 100),
                    bruteForce(a, m, lo, hi, 100))
              << a << " mod " << m << " in [" << lo << ", " << hi << "]";
}

TEST(WindowSearch, equalsBruteForceOnLargeNumbers) {
  oracle::Random random(21);
  for (int i = 0; i < 2000; ++i) {
    int64_t m = random.within(1000, int64_t(1) << 40);
    int64_t a = random.within(0, m - 1), lo = random.within(0, m - 1);
    int64_t hi = std::min(m - 1, lo + m / random.within(1, 20000));
    ASSERT_EQ(firstInWindow(a, m, lo, hi, 3000),
              bruteForce(a, m, lo, hi, 3000));
  }
}

// 3^66 mod 2^105 has no small period: the first n is found without walking.
TEST(WindowSearch, worksNearItsLargestModulus) {
  __int128 m = __int128(1) << 105, a = 1;
  for (int i = 0; i < 66; ++i)
    a = a * 3 % m;
  auto n = firstInWindow(a, m, m / 7, m / 7 + m / 100000, 200000);
  ASSERT_TRUE(n);
  __int128 rest = 0;
  for (int64_t i = 0; i < *n; ++i) {
    ASSERT_FALSE(rest >= m / 7 && rest <= m / 7 + m / 100000);
    rest = (rest + a) % m;
  }
  EXPECT_TRUE(rest >= m / 7 && rest <= m / 7 + m / 100000);
}
