//===- Dyadic.h - exact products and sums of floats ------------*- C++ -*-===//
//
// Every fp32 or fp64 number is a dyadic rational m * 2^e. Scales are multiplied
// and biases added exactly, and only the final quotient by the output scale is
// rounded.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_DYADIC_H
#define TALLY_QUANT_DYADIC_H

#include <cstdint>
#include <gmpxx.h>

namespace tally::quant {

/// mantissa * 2^exponent, kept with an odd mantissa (or 0 * 2^0). Any size:
/// the mantissa is a GMP integer, so no operation can lose a bit.
class Dyadic {
public:
  Dyadic() = default;
  /// The exact value. `value` must be finite (asserted).
  static Dyadic of(double value);
  static Dyadic ofInt(int64_t value);

  const mpz_class &mantissa() const { return odd; }
  int64_t exponent() const { return power; }
  bool isZero() const { return odd == 0; }
  int sign() const { return sgn(odd); }
  /// Nearest double (for reports only, never for decisions).
  double approximate() const;

  friend Dyadic operator*(const Dyadic &a, const Dyadic &b);
  friend Dyadic operator+(const Dyadic &a, const Dyadic &b);
  friend Dyadic operator-(const Dyadic &a);
  friend bool operator==(const Dyadic &a, const Dyadic &b) = default;

private:
  Dyadic(mpz_class mantissa, int64_t exponent);
  mpz_class odd = 0;
  int64_t power = 0;
};

/// The number of an fp32 in small integers: mantissa < 2^24, odd or zero.
/// `value` must be finite.
struct SmallDyadic {
  int64_t mantissa;
  int32_t exponent;
};
SmallDyadic decompose(float value);

/// Floor division for any signs; `divisor` > 0.
__int128 floorDiv(__int128 value, __int128 divisor);

/// RHE(numerator / denominator), denominator > 0.
mpz_class roundHalfEven(const mpz_class &numerator,
                        const mpz_class &denominator);

} // namespace tally::quant

#endif // TALLY_QUANT_DYADIC_H
