//===- StridedCopy.cpp - copies by strides in generated code --------------===//
//
// One loop per dimension of the coalesced map; the position in the result
// advances with the loops, so only the input's is computed. A dimension of
// several pieces looks its offset up in a table.
//
// Where the last dimension strides over the input and another one has its
// neighbours, the two are a matrix to be transposed: the other dimensions are
// loops, and blocks of it go through registers (kernels/BlockTranspose.h).
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/StridedCopy.h"
#include "tally/cpu/kernels/BlockTranspose.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;
using tally::nn::StridedDimension;
using tally::nn::StridedMap;
using tally::nn::StridedPiece;

/// The input offset behind each index of a dimension, as a constant.
static Value offsetTable(KernelBuilder &k, const StridedDimension &dim) {
  std::vector<int64_t> offsets;
  for (const StridedPiece &piece : dim)
    for (int64_t i = 0; i < piece.count; ++i)
      offsets.push_back(piece.offset + i * piece.stride);
  return k.constant<int64_t>(offsets);
}

namespace {
class StridedCopy {
public:
  StridedCopy(KernelBuilder &k, const StridedMap &map)
      : k(k), map(map), input(k.flat(k.operand(0))),
        output(k.flat(k.result())) {
    for (const StridedDimension &dim : map.dims)
      tables.push_back(dim.size() > 1 ? offsetTable(k, dim) : Value());
  }
  void emit() {
    findMatrix();
    nest(0, k.index(map.base), k.index(0));
  }

private:
  void findMatrix();
  bool isOfMatrix(size_t d) const {
    return matrixRow && (d == *matrixRow || d + 1 == map.dims.size());
  }
  int64_t step(size_t d) const;
  void emitMatrix(Value from, Value to);
  /// Dimension `d` and all behind it; `from` and `to` are the positions of its
  /// first element.
  void nest(size_t d, Value from, Value to);
  Value offset(size_t d, Value index);

  KernelBuilder &k;
  const StridedMap &map;
  Value input, output;
  llvm::SmallVector<Value> tables;
  /// The dimension that has neighbours in the input, when it is the columns of
  /// a matrix whose rows are the last dimension.
  std::optional<size_t> matrixRow;
};
} // namespace

/// A dimension of fewer elements is no side of a block.
static constexpr int64_t kLeastSide = 16;

static bool isRun(const StridedDimension &dim) {
  return dim.size() == 1 && dim.front().count >= kLeastSide;
}

/// Elements of the result from one index of a dimension to the next.
int64_t StridedCopy::step(size_t d) const {
  int64_t elements = 1;
  for (size_t inner = d + 1; inner < map.dims.size(); ++inner)
    elements *= map.size(inner);
  return elements;
}

void StridedCopy::findMatrix() {
  if (map.dims.empty() || !isRun(map.dims.back()) ||
      map.dims.back().front().stride <= 1)
    return;
  for (size_t d = 0; d + 1 < map.dims.size(); ++d)
    if (isRun(map.dims[d]) && map.dims[d].front().stride == 1)
      matrixRow = d;
}

/// `from` and `to` are the positions of the matrix's first element.
void StridedCopy::emitMatrix(Value from, Value to) {
  const StridedPiece &row = map.dims.back().front(),
                     &column = map.dims[*matrixRow].front();
  from = k.addIndex(from, k.index(row.offset + column.offset));
  emitBlockTranspose(k, {input, from, row.stride},
                     {output, to, step(*matrixRow)}, row.count, column.count);
}

Value StridedCopy::offset(size_t d, Value index) {
  if (tables[d])
    return arith::IndexCastOp::create(k.b, k.b.getIndexType(),
                                      k.load(tables[d], index));
  const StridedPiece &piece = map.dims[d].front();
  return k.addIndex(k.index(piece.offset), k.mulIndex(index, piece.stride));
}

void StridedCopy::nest(size_t d, Value from, Value to) {
  if (d == map.dims.size())
    return matrixRow ? emitMatrix(from, to)
                     : k.store(k.load(input, from), output, to);
  if (isOfMatrix(d))
    return nest(d + 1, from, to);
  k.loop(map.size(d), [&](Value index) {
    nest(d + 1, k.addIndex(from, offset(d, index)),
         k.addIndex(to, k.mulIndex(index, step(d))));
  });
}

void tally::cpu::emitStridedCopy(KernelBuilder &k, const StridedMap &map) {
  StridedMap simple = nn::coalesced(map);
  StridedCopy(k, simple).emit();
}
