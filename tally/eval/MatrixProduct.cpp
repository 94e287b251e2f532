//===- MatrixProduct.cpp - the exact meaning of matrix products -----------===//
//
// Every matrix product is a set of independent [M, K] x [K, N] products. Each
// operand is a strided matrix in its tensor, so transposes and broadcast
// batches cost nothing but index arithmetic when the panels are filled. When
// all products share one right matrix, they are one product with more rows.
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
/// base + row * rowStride + column * columnStride. `index` counts matrices.
struct StridedMatrix {
  const Tensor &tensor;
  int64_t base, rows, columns, rowStride, columnStride, index;
  int64_t at(int64_t row, int64_t column) const {
    return base + row * rowStride + column * columnStride;
  }
  StridedMatrix transposed() const {
    return {tensor, base, columns, rows, columnStride, rowStride, index};
  }
};

/// One product; its result starts at element `result` and is dense.
struct Product {
  StridedMatrix a, b;
  int64_t result;
};

/// The index-th matrix in the last two dimensions of a tensor.
StridedMatrix matrixOf(const Tensor &tensor, int64_t index = 0) {
  int64_t rows = tensor.shape[tensor.rank() - 2];
  int64_t columns = tensor.shape[tensor.rank() - 1];
  return {tensor, index * rows * columns, rows, columns, columns, 1, index};
}

/// Zero point of a row of A or a column of B, counted through all matrices.
using ZeroPoint = std::function<int64_t(int64_t)>;
using StoreRow = std::function<void(int64_t row, const int64_t *sums)>;
} // namespace

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The rows of a matrix less their zero points.
static IntPanel panelOf(const StridedMatrix &matrix, const ZeroPoint &zero) {
  const Tensor &tensor = matrix.tensor;
  int64_t low =
      tensor.isQuantized() ? tensor.quant->qmin : minValue(tensor.element);
  int64_t high =
      tensor.isQuantized() ? tensor.quant->qmax : maxValue(tensor.element);
  int64_t first = matrix.index * matrix.rows, lowest = 0, highest = 0;
  for (int64_t row = 0; row < matrix.rows; ++row) {
    lowest = std::min(lowest, low - zero(first + row));
    highest = std::max(highest, high - zero(first + row));
  }
  IntPanel panel(matrix.rows, matrix.columns, lowest, highest);
  visitInt(tensor.element, [&](auto typed) {
    const auto *source = tensor.data<decltype(typed)>();
    panel.fill([&](auto *values) {
      for (int64_t row = 0; row < matrix.rows; ++row) {
        int64_t zeroPoint = zero(first + row);
        for (int64_t column = 0; column < matrix.columns; ++column)
          *values++ = static_cast<std::decay_t<decltype(*values)>>(
              static_cast<int64_t>(source[matrix.at(row, column)]) - zeroPoint);
      }
    });
  });
  panel.measure();
  return panel;
}

/// Exact integer sums, stored row by row.
static Status integerProduct(const Product &product, const ZeroPoint &zeroA,
                             const ZeroPoint &zeroB, const StoreRow &store) {
  IntPanel rows = panelOf(product.a, zeroA);
  IntPanel columns = panelOf(product.b.transposed(), zeroB);
  std::vector<int64_t> sums;
  if (!accumulate(rows, columns, sums))
    return Diagnostic{FailureKind::Unsupported,
                      "the accumulator needs more than 64 bits", "NUM-4"};
  for (int64_t row = 0; row < rows.rows; ++row)
    store(row, sums.data() + row * columns.rows);
  return Status::success();
}

/// A matrix's elements row by row, out of all elements of its tensor.
template <typename T>
static std::vector<T> dense(const StridedMatrix &matrix,
                            const std::vector<T> &elements) {
  std::vector<T> values(matrix.rows * matrix.columns);
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t column = 0; column < matrix.columns; ++column)
      values[row * matrix.columns + column] = elements[matrix.at(row, column)];
  return values;
}

template <typename T, auto products>
static std::vector<T> floatProduct(const Product &product,
                                   const std::vector<T> &a,
                                   const std::vector<T> &b) {
  std::vector<T> left = dense(product.a, a), right = dense(product.b, b),
                 sums(product.a.rows * product.b.columns);
  products(left.data(), right.data(), product.a.rows, product.b.columns,
           product.a.columns, sums.data());
  return sums;
}

//===----------------------------------------------------------------------===//
// Products of codes
//===----------------------------------------------------------------------===//

namespace {
/// Turns the sums of one product into codes. A's grid may be per row, B's per
/// column.
class CodeProduct {
public:
  CodeProduct(Request &request, const GemmMeaning &meaning, const Product &p)
      : request(request), meaning(meaning), p(p), gridA(*p.a.tensor.quant),
        gridB(*p.b.tensor.quant), grid(*request.out().quant) {}

  Status run();

private:
  float scaleA(int64_t row) const { return gridA.scale(row % rowsOfGrid()); }
  int64_t rowsOfGrid() const {
    return static_cast<int64_t>(gridA.scales.size());
  }
  AccumulatorMeaning meaningOf(int64_t row, int64_t column,
                               RealAddend offset) const {
    return {scaleA(row), gridB.scale(column), meaning.alpha, 1, offset};
  }
  BiasTerm addend(int64_t row, int64_t column) const;
  void startRow(int64_t row);
  int64_t code(int64_t row, int64_t column, int64_t sum) const;

  Request &request;
  const GemmMeaning &meaning;
  const Product &p;
  const Quantization &gridA, &gridB, &grid;
  std::vector<Requantizer> columns; ///< of the current row, one when equal
};
} // namespace

/// Element of C that broadcasting pairs with (row, column) of an M x N result.
static int64_t broadcastElement(const Tensor &c, int64_t row, int64_t column) {
  int64_t columns = c.rank() >= 1 ? c.shape[c.rank() - 1] : 1;
  int64_t rows = c.rank() >= 2 ? c.shape[c.rank() - 2] : 1;
  return (rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column);
}

BiasTerm CodeProduct::addend(int64_t row, int64_t column) const {
  const Tensor &c = request.in(2);
  int64_t element = broadcastElement(c, row, column);
  int64_t channel = c.isQuantized() && !c.quant->perTensor()
                        ? AxisIndex(c.shape, c.quant->axis)(element)
                        : 0;
  // Under beta nothing is in accumulator units.
  float unitA = meaning.beta == 1 ? meaning.alpha * scaleA(row) : 0;
  BiasTerm term = biasTerm(c, element, channel, unitA, gridB.scale(column));
  Dyadic beta = dyadic(meaning.beta);
  term.real.mantissa *= beta.mantissa;
  term.real.exponent += beta.exponent;
  return term;
}

void CodeProduct::startRow(int64_t row) {
  if (!columns.empty() && gridA.perTensor())
    return;
  columns.clear();
  for (size_t n = 0; n < gridB.scales.size(); ++n)
    columns.emplace_back(request.profile, meaningOf(row, n, {}), grid);
}

int64_t CodeProduct::code(int64_t row, int64_t column, int64_t sum) const {
  const Requantizer &plain = columns[columns.size() == 1 ? 0 : column];
  if (!request.has(2))
    return plain.code(sum);
  BiasTerm bias = addend(row, column);
  if (bias.real.mantissa == 0)
    return plain.code(sum + bias.units);
  return Requantizer(request.profile, meaningOf(row, column, bias.real), grid)
      .code(sum + bias.units);
}

Status CodeProduct::run() {
  Tensor &out = request.out();
  int64_t n = p.b.columns;
  return integerProduct(
      p, [&](int64_t row) { return gridA.zeroPoint(row % rowsOfGrid()); },
      [&](int64_t column) {
        return gridB.zeroPoint(column % std::max<int64_t>(n, 1));
      },
      [&](int64_t row, const int64_t *sums) {
        startRow(row);
        for (int64_t column = 0; column < n; ++column)
          storeInt(out, p.result + row * n + column,
                   code(row, column, sums[column]));
      });
}

/// Whether a grid is per tensor or follows the dimension `axis`.
static bool follows(const Quantization &grid, int64_t axis) {
  return grid.perTensor() || grid.axis == axis;
}

static bool isCodeProduct(Request &request, bool transA, bool transB) {
  const Tensor &a = request.in(0), &b = request.in(1), &out = request.out();
  return a.isQuantized() && b.isQuantized() && out.isQuantized() &&
         follows(*a.quant, a.rank() - (transA ? 1 : 2)) &&
         follows(*b.quant, b.rank() - (transB ? 2 : 1)) &&
         out.quant->perTensor();
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

template <typename T, auto products>
static Status gemmFloats(Request &request, const GemmMeaning &meaning,
                         const Product &product) {
  std::vector<T> sums = floatProduct<T, products>(
      product, toFloats<T>(request.in(0)), toFloats<T>(request.in(1)));
  int64_t columns = product.b.columns;
  for (int64_t m = 0; m < product.a.rows; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      T value = sums[m * columns + n];
      if (meaning.alpha != 1)
        value *= meaning.alpha;
      if (request.has(2)) {
        const Tensor &c = request.in(2);
        T addend = static_cast<T>(loadFloat(c, broadcastElement(c, m, n)));
        value += meaning.beta == 1 ? addend : addend * meaning.beta;
      }
      storeFloat(request.out(), m * columns + n, value);
    }
  return Status::success();
}

Status tally::eval::evaluateGemm(Request &request, const GemmMeaning &meaning) {
  StridedMatrix a = matrixOf(request.in(0)), b = matrixOf(request.in(1));
  Product product{meaning.transA ? a.transposed() : a,
                  meaning.transB ? b.transposed() : b, 0};
  if (isCodeProduct(request, meaning.transA, meaning.transB))
    return CodeProduct(request, meaning, product).run();
  if (a.tensor.element == Element::F64)
    return gemmFloats<double, productsF64>(request, meaning, product);
  if (isFloat(a.tensor.element))
    return gemmFloats<float, productsF32>(request, meaning, product);
  return noMeaning(a.tensor);
}

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

static Shape batchOf(const Tensor &tensor) {
  return Shape(tensor.shape.begin(), tensor.shape.end() - 2);
}

/// The products of a broadcast batch.
static std::vector<Product> productsOf(Request &request,
                                       Transposed transposed) {
  const Tensor &a = request.in(0), &b = request.in(1), &out = request.out();
  auto factor = [](const Tensor &tensor, int64_t index, bool isTransposed) {
    StridedMatrix matrix = matrixOf(tensor, index);
    return isTransposed ? matrix.transposed() : matrix;
  };
  if (elementCount(batchOf(b)) == 1 && !transposed.a) {
    StridedMatrix all = matrixOf(a);
    all.rows *= elementCount(batchOf(a));
    return {Product{all, factor(b, 0, transposed.b), 0}};
  }
  std::vector<Product> result;
  int64_t size = out.shape[out.rank() - 2] * out.shape[out.rank() - 1];
  forEachBroadcast(batchOf(out), batchOf(a), batchOf(b),
                   [&](int64_t i, int64_t ia, int64_t ib) {
                     result.push_back({factor(a, ia, transposed.a),
                                       factor(b, ib, transposed.b), i * size});
                   });
  return result;
}

template <typename T, auto products>
static Status matMulFloats(Request &request, Transposed transposed) {
  std::vector<T> a = toFloats<T>(request.in(0)), b = toFloats<T>(request.in(1));
  for (const Product &product : productsOf(request, transposed)) {
    std::vector<T> sums = floatProduct<T, products>(product, a, b);
    for (size_t i = 0; i < sums.size(); ++i)
      storeFloat(request.out(), product.result + static_cast<int64_t>(i),
                 sums[i]);
  }
  return Status::success();
}

static Status matMulCodes(Request &request, Transposed transposed) {
  for (const Product &product : productsOf(request, transposed))
    if (Status status = CodeProduct(request, GemmMeaning(), product).run();
        !status)
      return status;
  return Status::success();
}

/// The zero point operand, entry i modulo its size; 0 when absent.
static ZeroPoint zeroPoints(const Request &request, size_t operand) {
  if (!request.has(operand))
    return [](int64_t) -> int64_t { return 0; };
  std::vector<int64_t> values = toInts(request.in(operand));
  return [values](int64_t i) { return values[i % values.size()]; };
}

Status tally::eval::evaluateMatMulInteger(Request &request,
                                          Transposed transposed) {
  ZeroPoint zeroA = zeroPoints(request, 2), zeroB = zeroPoints(request, 3);
  for (const Product &product : productsOf(request, transposed)) {
    int64_t n = product.b.columns;
    Status status = integerProduct(
        product, zeroA, zeroB, [&](int64_t row, const int64_t *sums) {
          for (int64_t column = 0; column < n; ++column)
            storeInt(request.out(), product.result + row * n + column,
                     sums[column]);
        });
    if (!status)
      return status;
  }
  return Status::success();
}

/// Plain integers wrap in their own type; 64-bit sums lose only what the
/// narrowing drops anyway.
static Status matMulPlain(Request &request, Transposed transposed) {
  const Tensor &a = request.in(0), &b = request.in(1);
  Tensor &out = request.out();
  std::vector<int64_t> left = toInts(a), right = toInts(b);
  for (const Product &p : productsOf(request, transposed))
    for (int64_t m = 0; m < p.a.rows; ++m)
      for (int64_t n = 0; n < p.b.columns; ++n) {
        uint64_t sum = 0;
        for (int64_t k = 0; k < p.a.columns; ++k)
          sum += static_cast<uint64_t>(left[p.a.at(m, k)]) *
                 static_cast<uint64_t>(right[p.b.at(k, n)]);
        storeInt(out, p.result + m * p.b.columns + n,
                 static_cast<int64_t>(sum));
      }
  return Status::success();
}

Status tally::eval::evaluateMatMul(Request &request, Transposed transposed) {
  const Tensor &a = request.in(0), &b = request.in(1);
  if (isCodeProduct(request, transposed.a, transposed.b))
    return matMulCodes(request, transposed);
  if (a.isQuantized() || b.isQuantized())
    return noMeaning(a);
  if (a.element == Element::F64)
    return matMulFloats<double, productsF64>(request, transposed);
  if (isFloat(a.element))
    return matMulFloats<float, productsF32>(request, transposed);
  return matMulPlain(request, transposed);
}
