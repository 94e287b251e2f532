//===- ProductKernels.cpp - the inner loops of products -------------------===//
//
// Both operands have k innermost, so the inner loop is a dot product
// that LLVM turns into widening multiply-adds. Columns that are kept term by
// term give a row of sums at once instead: the inner loop runs over columns.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/ProductKernels.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

static void emitTermMajor(KernelBuilder &k, const ProductShape &shape,
                          const IntegerPanel &rows, const IntegerPanel &columns,
                          Type sumType,
                          llvm::function_ref<void(Value, Value, Value)> store) {
  Value sums = k.scratch({shape.columns}, sumType);
  k.loop(shape.rows, [&](Value row) {
    Value from = rows.rowOffset ? k.addIndex(rows.rowOffset, row) : row;
    k.loop(shape.columns,
           [&](Value column) { k.store(k.integer(sumType, 0), sums, column); });
    k.loop(shape.k, [&](Value i) {
      Value x = k.widen(k.load(rows.memref, {from, i}), rows.element, sumType);
      k.loop(shape.columns, [&](Value column) {
        Value y = k.widen(k.load(columns.memref, {i, column}), columns.element,
                          sumType);
        Value term = arith::MulIOp::create(k.b, x, y);
        Value sum = arith::AddIOp::create(k.b, k.load(sums, column), term);
        k.store(sum, sums, column);
      });
    });
    k.loop(shape.columns,
           [&](Value column) { store(row, column, k.load(sums, column)); });
  });
}

void tally::cpu::emitIntegerProduct(
    KernelBuilder &k, const ProductShape &shape, const IntegerPanel &rows,
    const IntegerPanel &columns, bool wide,
    llvm::function_ref<void(Value, Value, Value)> store) {
  Type sumType = wide ? k.i64() : k.i32();
  if (columns.isTermMajor)
    return emitTermMajor(k, shape, rows, columns, sumType, store);
  auto rowOf = [&](const IntegerPanel &panel, Value row) {
    return panel.rowOffset ? k.addIndex(panel.rowOffset, row) : row;
  };
  k.loops({shape.rows, shape.columns}, [&](ValueRange position) {
    Value row = rowOf(rows, position[0]), column = rowOf(columns, position[1]);
    Value sum =
        k.fold(shape.k, k.integer(sumType, 0), [&](Value i, Value carried) {
          Value x =
              k.widen(k.load(rows.memref, {row, i}), rows.element, sumType);
          Value y = k.widen(k.load(columns.memref, {column, i}),
                            columns.element, sumType);
          return arith::AddIOp::create(k.b, carried,
                                       arith::MulIOp::create(k.b, x, y));
        });
    store(position[0], position[1], sum);
  });
}
