//===- UnaryTable.h - exact tables of unary functions ----------*- C++ -*-===//

#ifndef TALLY_QUANT_UNARYTABLE_H
#define TALLY_QUANT_UNARYTABLE_H

#include "tally/quant/Grid.h"
#include "tally/quant/Requantize.h"

#include <array>

namespace tally::quant {

/// A real function of one real. Parameters are fp32 attributes, taken exactly;
/// `p` and `q` are the first and second, in the order given here.
enum class UnaryKind {
  Identity,
  Abs,
  Neg,
  Sign,
  Relu,
  Clip,            ///< p = min, q = max, may be infinite; min > max gives max
  LeakyRelu,       ///< p = alpha
  PRelu,           ///< p = slope of this channel
  ThresholdedRelu, ///< p = alpha: x > alpha ? x : 0
  HardSigmoid,     ///< p = alpha, q = beta: clamp(alpha x + beta, 0, 1)
  HardSwish,       ///< x clamp(x/6 + 1/2, 0, 1)
  Sigmoid,
  Swish, ///< p = alpha: x sigmoid(alpha x)
  Tanh,
  GeluErf,
  GeluTanh, ///< sqrt(2/pi) and 0.044715 are exact reals
  Elu,      ///< p = alpha
  Selu,     ///< p = alpha, q = gamma
  Celu,     ///< p = alpha != 0
  Softplus,
  Softsign,
  Mish,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Floor,
  Ceil,
  Round, ///< half to even
  Erf,
  Sin,
  Cos,
  Square,
  Pow, ///< p = constant exponent
};
std::string_view unaryName(UnaryKind kind);

struct UnaryFunction {
  UnaryKind kind = UnaryKind::Identity;
  float p = 0, q = 0;
  friend bool operator==(const UnaryFunction &,
                         const UnaryFunction &) = default;
};

/// T[rawBits(q1)] = clamp(RHE(f(s1 (q1 - z1)) / s2) + z2), every entry decided
/// with as much precision as it takes.
///
/// Values f does not have: log(0), 1/0, rsqrt(0) are infinite and saturate
/// (log to the lowest code, 1/0 and rsqrt(0) to the highest: a code has no
/// sign of zero); log(x < 0) gives the lowest code; sqrt(x < 0),
/// rsqrt(x < 0) and x^p without a real value give the code z2 of real 0;
/// 0^p with p < 0 gives the highest code.
struct UnaryTable {
  CodeType input, result;
  std::vector<int32_t> codes; ///< input.count() entries

  int32_t lookup(int64_t code) const { return codes[input.rawBits(code)]; }
  friend bool operator==(const UnaryTable &, const UnaryTable &) = default;
};

/// Profile Ideal: any function. Profile OnnxRuntime: what that runtime's
/// com.microsoft kernels compute, dequantize, f and quantize in fp32:
/// Identity (QLinearConcat), LeakyRelu, and Sigmoid with this library's own
/// fp32 sigmoid (that runtime uses an approximation of its own, so single codes
/// may differ near ties).
///
/// Both grids must be valid and per tensor (pass one channel's grid for a
/// per-channel PRelu); input at most 16 bits, result at most 16 bits.
/// Rule labels: those of validate(Grid); UN-GRID (per-axis grid or too many
/// bits), UN-PARAM (a parameter is NaN, Celu's alpha is 0, or a parameter is
/// infinite outside Clip), UN-PROFILE (Unsupported), UN-DECIDE (Internal: 65536
/// bits do not tell on which side of a tie an entry lies).
Result<UnaryTable> buildUnaryTable(const UnaryFunction &function,
                                   const Grid &input, const Grid &result,
                                   Profile profile = Profile::Ideal);

/// Whether profile OnnxRuntime has a table of the function.
bool hasOnnxRuntimeTable(UnaryKind kind);

/// One IDEAL code.
Result<int32_t> applyUnaryIdeal(const UnaryFunction &function,
                                const Grid &input, const Grid &result,
                                int64_t code);

} // namespace tally::quant

#endif // TALLY_QUANT_UNARYTABLE_H
