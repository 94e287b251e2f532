//===- StridedCopy.cpp - copies by strides in generated code --------------===//
//
// One loop per dimension of the coalesced map; the position in the result
// advances with the loops, so only the input's is computed. A dimension of
// several pieces looks its offset up in a table.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/StridedCopy.h"

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
  void emit() { nest(0, k.index(map.base), k.index(0)); }

private:
  /// Dimension `d` and all behind it; `from` and `to` are the positions of its
  /// first element.
  void nest(size_t d, Value from, Value to);
  Value offset(size_t d, Value index);

  KernelBuilder &k;
  const StridedMap &map;
  Value input, output;
  llvm::SmallVector<Value> tables;
};
} // namespace

Value StridedCopy::offset(size_t d, Value index) {
  if (tables[d])
    return arith::IndexCastOp::create(k.b, k.b.getIndexType(),
                                      k.load(tables[d], index));
  const StridedPiece &piece = map.dims[d].front();
  return k.addIndex(k.index(piece.offset), k.mulIndex(index, piece.stride));
}

void StridedCopy::nest(size_t d, Value from, Value to) {
  if (d == map.dims.size())
    return k.store(k.load(input, from), output, to);
  int64_t step = 1;
  for (size_t inner = d + 1; inner < map.dims.size(); ++inner)
    step *= map.size(inner);
  k.loop(map.size(d), [&](Value index) {
    nest(d + 1, k.addIndex(from, offset(d, index)),
         k.addIndex(to, k.mulIndex(index, step)));
  });
}

void tally::cpu::emitStridedCopy(KernelBuilder &k, const StridedMap &map) {
  StridedMap simple = nn::coalesced(map);
  StridedCopy(k, simple).emit();
}
