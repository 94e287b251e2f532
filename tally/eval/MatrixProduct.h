//===- MatrixProduct.h - the exact meaning of matrix products ---*- C++ -*-===//

#ifndef TALLY_EVAL_MATRIXPRODUCT_H
#define TALLY_EVAL_MATRIXPRODUCT_H

#include "tally/eval/Request.h"
#include "tally/support/Result.h"

namespace tally::eval {

/// Which operands of a product are transposed (their last two dimensions).
struct Transposed {
  bool a = false, b = false;
};

struct GemmMeaning {
  bool transA = false, transB = false;
  float alpha = 1, beta = 1;
};

/// Inputs A, B and optionally C, as nn.gemm states it.
Status evaluateGemm(Request &request, const GemmMeaning &meaning);

/// Inputs A [.., M, K], B [.., K, N], transposed or not, with broadcast leading
/// dimensions (rank >= 2 both), as nn.matmul states it.
Status evaluateMatMul(Request &request, Transposed transposed);

/// A, B and optional zero points (A: scalar, or one per row of all matrices or
/// of each; B: likewise per column) of plain integers; the result is i32 and
/// wraps.
Status evaluateMatMulInteger(Request &request, Transposed transposed);

} // namespace tally::eval

#endif // TALLY_EVAL_MATRIXPRODUCT_H
