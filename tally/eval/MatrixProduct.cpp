//===- MatrixProduct.cpp - the exact meaning of matrix products -----------===//
//
// Every matrix product is a set of independent [M, K] x [K, N] products. Each
// operand is a strided matrix in its tensor, so transposes and broadcast
// batches cost nothing but index arithmetic when the panels are filled.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/MatrixProduct.h"
#include "tally/eval/Accumulate.h"
#include "tally/eval/Elementwise.h"
#include "tally/eval/Products.h"
#include "tally/eval/Requantizer.h"

using namespace tally;
using namespace tally::eval;

namespace {
/// A matrix inside a tensor: element (row, column) is at
/// base + row * rowStride + column * columnStride.
struct StridedMatrix {
  const Tensor &tensor;
  int64_t base, rows, columns, rowStride, columnStride;
  int64_t at(int64_t row, int64_t column) const {
    return base + row * rowStride + column * columnStride;
  }
};

/// The last two dimensions of a tensor, optionally transposed.
StridedMatrix lastMatrix(const Tensor &tensor, int64_t base,
                         bool transposed = false) {
  int64_t rows = tensor.shape[tensor.rank() - 2];
  int64_t columns = tensor.shape[tensor.rank() - 1];
  if (transposed)
    return {tensor, base, columns, rows, 1, columns};
  return {tensor, base, rows, columns, columns, 1};
}

using ZeroPoint = std::function<int64_t(int64_t)>;
using Store = std::function<void(int64_t row, int64_t column, int64_t sum)>;
} // namespace

/// Exact integer sums; zero points by row of A and by column of B.
static Status integerProduct(const StridedMatrix &a, const StridedMatrix &b,
                             const ZeroPoint &zeroA, const ZeroPoint &zeroB,
                             const Store &store) {
  IntPanel rows(a.rows, a.columns), columns(b.columns, b.rows);
  for (int64_t m = 0; m < a.rows; ++m)
    for (int64_t k = 0; k < a.columns; ++k)
      rows.set(m, k, loadInt(a.tensor, a.at(m, k)) - zeroA(m));
  for (int64_t n = 0; n < b.columns; ++n)
    for (int64_t k = 0; k < b.rows; ++k)
      columns.set(n, k, loadInt(b.tensor, b.at(k, n)) - zeroB(n));
  rows.finish();
  columns.finish();
  std::vector<int64_t> sums;
  if (!accumulate(rows, columns, sums))
    return Diagnostic{FailureKind::Unsupported,
                      "the accumulator needs more than 64 bits", "NUM-4"};
  for (int64_t m = 0; m < a.rows; ++m)
    for (int64_t n = 0; n < b.columns; ++n)
      store(m, n, sums[m * b.columns + n]);
  return Status::success();
}

template <typename T, auto products>
static std::vector<T> floatProduct(const StridedMatrix &a,
                                   const StridedMatrix &b) {
  std::vector<T> left(a.rows * a.columns), right(b.rows * b.columns),
      sums(a.rows * b.columns);
  for (int64_t m = 0; m < a.rows; ++m)
    for (int64_t k = 0; k < a.columns; ++k)
      left[m * a.columns + k] = static_cast<T>(loadFloat(a.tensor, a.at(m, k)));
  for (int64_t k = 0; k < b.rows; ++k)
    for (int64_t n = 0; n < b.columns; ++n)
      right[k * b.columns + n] =
          static_cast<T>(loadFloat(b.tensor, b.at(k, n)));
  products(left.data(), right.data(), a.rows, b.columns, a.columns,
           sums.data());
  return sums;
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// Element of C that broadcasting pairs with (row, column) of an M x N result.
static int64_t broadcastElement(const Tensor &c, int64_t row, int64_t column) {
  int64_t columns = c.rank() >= 1 ? c.shape[c.rank() - 1] : 1;
  int64_t rows = c.rank() >= 2 ? c.shape[c.rank() - 2] : 1;
  return (rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column);
}

static Status gemmCodes(Request &request, const GemmMeaning &meaning,
                        const StridedMatrix &a, const StridedMatrix &b) {
  Tensor &out = request.out();
  const Quantization &gridA = *a.tensor.quant, &gridB = *b.tensor.quant;
  if (!gridA.perTensor() || !out.isQuantized() || !out.quant->perTensor())
    return noMeaning(a.tensor);
  bool plain = meaning.alpha == 1 && meaning.beta == 1;
  auto addend = [&](int64_t row, int64_t column) -> BiasTerm {
    if (!request.has(2))
      return {};
    const Tensor &c = request.in(2);
    int64_t element = broadcastElement(c, row, column);
    int64_t channel = c.isQuantized() && !c.quant->perTensor()
                          ? AxisIndex(c.shape, c.quant->axis)(element)
                          : 0;
    // Under alpha or beta nothing is in accumulator units.
    float scaleA = plain ? gridA.scale() : 0;
    BiasTerm term = biasTerm(c, element, channel, scaleA, gridB.scale(column));
    Dyadic beta = dyadic(meaning.beta);
    term.real.mantissa *= beta.mantissa;
    term.real.exponent += beta.exponent;
    return term;
  };
  auto meaningOf = [&](int64_t column, Dyadic offset) {
    return AccumulatorMeaning{gridA.scale(), gridB.scale(column), meaning.alpha,
                              1, offset};
  };
  std::vector<Requantizer> columns;
  for (int64_t n = 0; n < b.columns; ++n)
    columns.emplace_back(request.profile, meaningOf(n, {}), *out.quant);
  return integerProduct(
      a, b, [&](int64_t) { return gridA.zeroPoint(); },
      [&](int64_t n) { return gridB.zeroPoint(n); },
      [&](int64_t m, int64_t n, int64_t sum) {
        BiasTerm bias = addend(m, n);
        int64_t code = bias.real.mantissa == 0
                           ? columns[n].code(sum + bias.units)
                           : Requantizer(request.profile,
                                         meaningOf(n, bias.real), *out.quant)
                                 .code(sum + bias.units);
        storeInt(out, m * b.columns + n, code);
      });
}

template <typename T, auto products>
static Status gemmFloats(Request &request, const GemmMeaning &meaning,
                         const StridedMatrix &a, const StridedMatrix &b) {
  std::vector<T> sums = floatProduct<T, products>(a, b);
  for (int64_t m = 0; m < a.rows; ++m)
    for (int64_t n = 0; n < b.columns; ++n) {
      T value = sums[m * b.columns + n];
      if (meaning.alpha != 1)
        value *= meaning.alpha;
      if (request.has(2)) {
        const Tensor &c = request.in(2);
        T addend = static_cast<T>(loadFloat(c, broadcastElement(c, m, n)));
        value += meaning.beta == 1 ? addend : addend * meaning.beta;
      }
      storeFloat(request.out(), m * b.columns + n, value);
    }
  return Status::success();
}

Status tally::eval::evaluateGemm(Request &request, const GemmMeaning &meaning) {
  StridedMatrix a = lastMatrix(request.in(0), 0, meaning.transA);
  StridedMatrix b = lastMatrix(request.in(1), 0, meaning.transB);
  if (a.tensor.isQuantized() && b.tensor.isQuantized())
    return gemmCodes(request, meaning, a, b);
  if (a.tensor.element == Element::F64)
    return gemmFloats<double, productsF64>(request, meaning, a, b);
  if (isFloat(a.tensor.element))
    return gemmFloats<float, productsF32>(request, meaning, a, b);
  return noMeaning(a.tensor);
}

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

/// Calls fn(first element of A's, B's and the result's matrix) per batch.
static Status
forEachMatrix(Request &request,
              const std::function<Status(int64_t, int64_t, int64_t)> &fn) {
  auto batchOf = [](const Tensor &tensor) {
    return Shape(tensor.shape.begin(), tensor.shape.end() - 2);
  };
  auto matrixSize = [](const Tensor &tensor) {
    return tensor.shape[tensor.rank() - 2] * tensor.shape[tensor.rank() - 1];
  };
  const Tensor &a = request.in(0), &b = request.in(1), &out = request.out();
  Status status;
  forEachBroadcast(batchOf(out), batchOf(a), batchOf(b),
                   [&](int64_t i, int64_t ia, int64_t ib) {
                     if (status)
                       status = fn(ia * matrixSize(a), ib * matrixSize(b),
                                   i * matrixSize(out));
                   });
  return status;
}

static Status matMulCodes(Request &request) {
  const Tensor &a = request.in(0), &b = request.in(1);
  Tensor &out = request.out();
  bool perColumn = !b.quant->perTensor() && b.quant->axis == b.rank() - 1;
  if (!a.quant->perTensor() || !out.isQuantized() || !out.quant->perTensor() ||
      !(b.quant->perTensor() || perColumn))
    return noMeaning(a);
  int64_t n = b.shape[b.rank() - 1];
  std::vector<Requantizer> columns;
  for (int64_t column = 0; column < n; ++column)
    columns.emplace_back(
        request.profile,
        AccumulatorMeaning{a.quant->scale(), b.quant->scale(column), 1, 1, {}},
        *out.quant);
  return forEachMatrix(request, [&](int64_t baseA, int64_t baseB,
                                    int64_t baseOut) {
    return integerProduct(
        lastMatrix(a, baseA), lastMatrix(b, baseB),
        [&](int64_t) { return a.quant->zeroPoint(); },
        [&](int64_t column) { return b.quant->zeroPoint(column); },
        [&](int64_t row, int64_t column, int64_t sum) {
          storeInt(out, baseOut + row * n + column, columns[column].code(sum));
        });
  });
}

template <typename T, auto products>
static Status matMulFloats(Request &request) {
  return forEachMatrix(
      request, [&](int64_t baseA, int64_t baseB, int64_t baseOut) {
        std::vector<T> sums = floatProduct<T, products>(
            lastMatrix(request.in(0), baseA), lastMatrix(request.in(1), baseB));
        for (size_t i = 0; i < sums.size(); ++i)
          storeFloat(request.out(), baseOut + static_cast<int64_t>(i), sums[i]);
        return Status::success();
      });
}

Status tally::eval::evaluateMatMul(Request &request) {
  const Tensor &a = request.in(0);
  if (a.isQuantized() && request.in(1).isQuantized())
    return matMulCodes(request);
  if (a.element == Element::F64)
    return matMulFloats<double, productsF64>(request);
  if (isFloat(a.element))
    return matMulFloats<float, productsF32>(request);
  if (!a.isQuantized())
    return evaluateMatMulInteger(request);
  return noMeaning(a);
}

/// Zero point `i` of a scalar or per-row/column operand; 0 when absent.
static ZeroPoint zeroPoints(const Request &request, size_t operand) {
  if (!request.has(operand))
    return [](int64_t) -> int64_t { return 0; };
  const Tensor &tensor = request.in(operand);
  return [&tensor](int64_t i) {
    return loadInt(tensor, tensor.count() == 1 ? 0 : i);
  };
}

Status tally::eval::evaluateMatMulInteger(Request &request) {
  const Tensor &a = request.in(0), &b = request.in(1);
  int64_t n = b.shape[b.rank() - 1];
  ZeroPoint zeroA = zeroPoints(request, 2), zeroB = zeroPoints(request, 3);
  return forEachMatrix(request, [&](int64_t baseA, int64_t baseB,
                                    int64_t baseOut) {
    return integerProduct(lastMatrix(a, baseA), lastMatrix(b, baseB), zeroA,
                          zeroB, [&](int64_t row, int64_t column, int64_t sum) {
                            storeInt(request.out(), baseOut + row * n + column,
                                     sum);
                          });
  });
}
