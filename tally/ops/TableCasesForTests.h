//===- TableCasesForTests.h - table operators and attributes ----*- C++ -*-===//
//
// Every table operator with attributes that bite.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_TABLECASESFORTESTS_H
#define TALLY_OPS_TABLECASESFORTESTS_H

#include <optional>
#include <ostream>

namespace tally {

struct TableCase {
  const char *op;         ///< without "nn."
  const char *attributes; ///< as in the IR, or ""
  /// The constant second operand of Pow, which is a table only with it.
  std::optional<float> exponent = {};
  friend void PrintTo(const TableCase &c, std::ostream *os) {
    *os << c.op << " " << c.attributes;
  }
};

inline constexpr TableCase kTableCases[] = {
    {"abs", ""},
    {"ceil", ""},
    {"celu", "{alpha = 0.7 : f32}"},
    {"celu", "{alpha = -1.5 : f32}"},
    {"clip", "{low = -0.3 : f32, high = 1.7 : f32}"},
    {"clip", "{low = 0xFF800000 : f32, high = 6.0 : f32}"},
    {"clip", "{low = 2.0 : f32, high = 1.0 : f32}"},
    {"cos", ""},
    {"elu", "{alpha = 0.7 : f32}"},
    {"elu", "{alpha = -0.7 : f32}"},
    {"erf", ""},
    {"exp", ""},
    {"floor", ""},
    {"gelu", "{tanh = false}"},
    {"gelu", "{tanh = true}"},
    {"hard_sigmoid", "{alpha = 0.2 : f32, beta = 0.5 : f32}"},
    {"hard_sigmoid", "{alpha = -0.3 : f32, beta = 0.25 : f32}"},
    {"hard_swish", ""},
    {"leaky_relu", "{alpha = 0.01 : f32}"},
    {"leaky_relu", "{alpha = -1.5 : f32}"},
    {"log", ""},
    {"mish", ""},
    {"neg", ""},
    {"pow", "", 2},
    {"pow", "", 3},
    {"pow", "", 0},
    {"pow", "", 0.5f},
    {"pow", "", 1.5f},
    {"pow", "", 0.3f},
    {"pow", "", -1},
    {"pow", "", -0.5f},
    {"reciprocal", ""},
    {"relu", ""},
    {"requantize", ""},
    {"round", ""},
    {"selu", "{alpha = 1.6732632 : f32, gamma = 1.0507010 : f32}"},
    {"selu", "{alpha = -0.5 : f32, gamma = -2.0 : f32}"},
    {"sigmoid", ""},
    {"sign", ""},
    {"sin", ""},
    {"softplus", ""},
    {"softsign", ""},
    {"sqrt", ""},
    {"swish", "{alpha = 1.0 : f32}"},
    {"swish", "{alpha = -1.702 : f32}"},
    {"tanh", ""},
    {"thresholded_relu", "{alpha = 0.6 : f32}"},
};

} // namespace tally

#endif // TALLY_OPS_TABLECASESFORTESTS_H
