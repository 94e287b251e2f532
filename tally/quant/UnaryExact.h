//===- UnaryExact.h - one exact rounding of a unary function ---*- C++ -*-===//
//
// Private to this library.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_UNARYEXACT_H
#define TALLY_QUANT_UNARYEXACT_H

#include "tally/quant/UnaryTable.h"

#include <gmpxx.h>

#include <optional>
#include <variant>

namespace tally::quant {

/// What a function gives where it has no finite real value.
enum class NoValue { Lowest, Highest, RealZero };

/// The value of a function as a rational, or that it has none. Nothing when it
/// is (or may be) irrational.
using ExactValue = std::variant<mpq_class, NoValue>;
std::optional<ExactValue> rationalValue(const UnaryFunction &function,
                                        const mpq_class &x);

/// Results are limited to +-roundLimit: beyond any code, yet far from overflow.
inline constexpr long roundLimit = 1l << 40;

/// RHE(f(x) / scale) where x is so far out that f is a straight line but for
/// e^-400; nothing elsewhere.
std::optional<int64_t> roundByAsymptote(const UnaryFunction &function,
                                        const mpq_class &x,
                                        const mpq_class &scale);

/// RHE(f(x) / scale) for the x where rationalValue has nothing,
/// limited to +-roundLimit; decided with as many bits as it takes. Nothing when
/// 2^16 bits do not decide it, which no function here is known to need.
std::optional<int64_t> roundIrrational(const UnaryFunction &function,
                                       const mpq_class &x,
                                       const mpq_class &scale);

} // namespace tally::quant

#endif // TALLY_QUANT_UNARYEXACT_H
