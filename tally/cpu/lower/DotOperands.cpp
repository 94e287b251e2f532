//===- DotOperands.cpp - codes and steps as operands of dots --------------===//
//
// Rows of codes are read where they are when their terms follow one another,
// the instructions take their sign and nothing behind the last row is read.
// Else they are copied.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DotOperands.h"
#include "tally/cpu/kernels/ByteProduct.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::canUseDots(const KernelBuilder &k, const eval::Tensor &codes,
                            const ConstantPanel &steps, bool wide) {
  bool areBytes =
      codes.element == eval::Element::I8 || codes.element == eval::Element::U8;
  return hasByteProducts(k.tier) && areBytes && codes.quant->perTensor() &&
         steps.tensor.element == eval::Element::I8 &&
         steps.tensor.count() > 0 && !wide;
}

int64_t tally::cpu::unsignedZero(const eval::Tensor &codes) {
  return codes.quant->zeroPoint() + (eval::isSigned(codes.element) ? 128 : 0);
}

int64_t tally::cpu::rowZero(const KernelBuilder &k, const eval::Tensor &codes) {
  return readsSignedRows(k.tier) ? codes.quant->zeroPoint()
                                 : unsignedZero(codes);
}

std::vector<int32_t> tally::cpu::dotStarts(int64_t zero,
                                           const ConstantPanel &steps,
                                           ArrayRef<int64_t> addends) {
  int64_t rows = steps.tensor.shape[0], terms = steps.tensor.shape[1];
  assert(steps.tensor.element == eval::Element::I8);
  const int8_t *all = steps.tensor.data<int8_t>();
  std::vector<int32_t> starts;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t sum =
        std::accumulate(all + row * terms, all + (row + 1) * terms, int64_t(0));
    int64_t addend = addends.empty() ? 0 : addends[row];
    starts.push_back(wrapTo32(addend - zero * sum));
  }
  return starts;
}

/// Copies the rows to memory of the kernel's own, as unsigned bytes
/// where signed ones cannot be read.
static ByteRows copyRows(KernelBuilder &k, const ByteShape &shape,
                         const LeftCodes &left) {
  int64_t terms = shape.chunkBytes;
  bool isSigned = eval::isSigned(k.operandInfo(0).element);
  bool flips = isSigned && !readsSignedRows(k.tier);
  Value bytes = k.scratch({shape.rows * terms + shape.bytesBehind()}, k.i8());
  Value codes = k.flatOperand(0);
  k.parallelLoops({shape.rows, terms}, [&](ValueRange at) {
    Value element = k.addIndex(k.mulIndex(at[0], left.rowStride),
                               k.mulIndex(at[1], left.termStride));
    Value code =
        k.load(codes, left.base ? k.addIndex(left.base, element) : element);
    if (flips)
      code = arith::XOrIOp::create(k.b, code, k.integer(k.i8(), -128));
    k.store(code, bytes, k.addIndex(k.mulIndex(at[0], terms), at[1]));
  });
  return {bytes, {}, terms, isSigned && !flips};
}

ByteRows tally::cpu::rowsOf(KernelBuilder &k, const ByteShape &shape,
                            const LeftCodes &left) {
  bool isSigned = eval::isSigned(k.operandInfo(0).element);
  bool isReadable = left.termStride == 1 && shape.bytesBehind() == 0 &&
                    (!isSigned || readsSignedRows(k.tier));
  if (!isReadable)
    return copyRows(k, shape, left);
  return {k.flatOperand(0), left.base, left.rowStride, isSigned};
}

void tally::cpu::emitDotMatrix(KernelBuilder &k, int64_t rows,
                               const ConstantPanel &columns,
                               ArrayRef<int64_t> addends, const LeftCodes &left,
                               FinishLanes finish) {
  int64_t count = columns.tensor.shape[0], terms = columns.tensor.shape[1];
  ByteShape shape = {rows, count, {0}, terms};
  auto step = [&](int64_t column, int64_t, int64_t term) {
    return eval::loadInt(columns.tensor, column * terms + term);
  };
  eval::Tensor starts = packStarts(
      shape, 1, dotStarts(rowZero(k, k.operandInfo(0)), columns, addends));
  ByteColumns right = {packedColumns(k, shape, 1, step), k.constant(starts)};
  emitByteProduct(k, shape, rowsOf(k, shape, left), right, finish);
}
