//===- DotOperands.cpp - codes and steps as operands of dots --------------===//
//
// In a matrix product the lanes are columns. Their steps are packed at compile
// time in the order in which a tile reads them: sixteen columns, then words of
// four terms, then the column.
//
//     column      0            1                  15
//     word 0      t0 t1 t2 t3  t0 t1 t2 t3  ...   t0 t1 t2 t3
//     word 1      t4 t5 t6 t7  t4 t5 t6 t7  ...   t4 t5 t6 t7
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/DotOperands.h"
#include "tally/cpu/kernels/DotProduct.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::canUseDots(const KernelBuilder &k, const eval::Tensor &codes,
                            const ConstantPanel &steps, bool wide) {
  bool areBytes =
      codes.element == eval::Element::I8 || codes.element == eval::Element::U8;
  return hasDotProducts(k.tier) && areBytes && codes.quant->perTensor() &&
         steps.tensor.element == eval::Element::I8 &&
         steps.tensor.count() > 0 && !wide;
}

int64_t tally::cpu::unsignedZero(const eval::Tensor &codes) {
  return codes.quant->zeroPoint() + (eval::isSigned(codes.element) ? 128 : 0);
}

std::vector<int32_t> tally::cpu::dotStarts(const eval::Tensor &codes,
                                           const ConstantPanel &steps,
                                           ArrayRef<int64_t> addends) {
  int64_t rows = steps.tensor.shape[0], terms = steps.tensor.shape[1];
  std::vector<int32_t> starts;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t sum = 0;
    for (int64_t i = 0; i < terms; ++i)
      sum += eval::loadInt(steps.tensor, row * terms + i);
    int64_t addend = addends.empty() ? 0 : addends[row];
    starts.push_back(wrapTo32(addend - unsignedZero(codes) * sum));
  }
  return starts;
}

/// Words of all columns, [sixteen columns][quad][column], and 0 beyond.
static eval::Tensor columnWords(const ConstantPanel &panel, int64_t quads) {
  int64_t columns = panel.tensor.shape[0], terms = panel.tensor.shape[1];
  eval::Tensor words;
  words.element = eval::Element::I32;
  words.shape = {vectorsOf(columns) * quads * kDotLanes};
  words.allocate();
  for (int64_t i = 0; i < words.shape[0]; ++i) {
    int64_t column = i / (quads * kDotLanes) * kDotLanes + i % kDotLanes;
    int64_t first = i / kDotLanes % quads * kDotTerms;
    words.data<int32_t>()[i] = dotWord([&](int64_t byte) {
      int64_t term = first + byte;
      return column < columns && term < terms
                 ? eval::loadInt(panel.tensor, column * terms + term)
                 : 0;
    });
  }
  return words;
}

/// Copies the codes of operand 0 as unsigned bytes, whole words to a row. What
/// fills the last word of a row meets steps of 0.
static Value rowWords(KernelBuilder &k, int64_t rows, int64_t terms,
                      llvm::function_ref<Value(Value, Value)> element) {
  int64_t quads = quadsOf(terms);
  Value bytes = k.scratch({rows * quads * kDotTerms}, k.i8());
  Value codes = k.flatOperand(0);
  bool isSigned = eval::isSigned(k.operandInfo(0).element);
  k.loops({rows, terms}, [&](ValueRange at) {
    Value code = k.load(codes, element(at[0], at[1]));
    if (isSigned)
      code = arith::XOrIOp::create(k.b, code, k.integer(k.i8(), -128));
    k.store(code, bytes,
            k.addIndex(k.mulIndex(at[0], quads * kDotTerms), at[1]));
  });
  auto type = MemRefType::get({rows * quads}, k.i32());
  return memref::ViewOp::create(k.b, type, bytes, k.index(0), ValueRange());
}

void tally::cpu::emitDotMatrix(
    KernelBuilder &k, int64_t rows, const ConstantPanel &columns,
    ArrayRef<int64_t> addends, llvm::function_ref<Value(Value, Value)> element,
    llvm::function_ref<void(Value, Value, Value)> store) {
  int64_t count = columns.tensor.shape[0], terms = columns.tensor.shape[1];
  int64_t quads = quadsOf(terms);
  std::vector<int32_t> starts = dotStarts(k.operandInfo(0), columns, addends);
  starts.resize(vectorsOf(count) * kDotLanes);
  Value startTable = k.constant<int32_t>(starts);
  Value laneWords = k.constant(columnWords(columns, quads));
  auto place = [&](Value quad, Value lane) {
    return k.addIndex(k.mulIndex(lane, quads), k.mulIndex(quad, kDotLanes));
  };
  auto sumsType = VectorType::get({kDotLanes}, k.i32());
  emitDotProduct(
      k, {rows, count, quads},
      {rowWords(k, rows, terms, element),
       {},
       /*areWordsTiled=*/false,
       laneWords,
       place,
       /*areLanesUnsigned=*/false},
      DotOrder::LanesOutside,
      [&](Value, Value lane) -> Value {
        return vector::LoadOp::create(k.b, sumsType, startTable, lane);
      },
      [&](const DotSums &block) {
        k.loops({block.rows, block.lanes}, [&](ValueRange at) {
          store(k.addIndex(block.row, at[0]), k.addIndex(block.lane, at[1]),
                k.load(block.sums, at));
        });
      });
}
