//===- ProductKernels.cpp - the inner loops of products -------------------===//
//
// Integers: both operands have k innermost, so the inner loop is a dot product
// that LLVM turns into widening multiply-adds. Columns that are kept term by
// term give a row of sums at once instead: the inner loop runs over columns.
//
// Floats: every output keeps its own order of terms, so vectors run across
// columns: four rows by sixteen columns of sums stay in registers while k
// ascends, then a small tile is spilled and stored element by element.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/ProductKernels.h"
#include "tally/cpu/FloatMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// The largest of 4, 2, 1 that divides the rows.
static int64_t rowsPerTile(int64_t rows) {
  return rows % 4 == 0 ? 4 : rows % 2 == 0 ? 2 : 1;
}

/// Sums of `count` rows starting at `row` over the columns from `column` on.
static SmallVector<Value>
tileSums(KernelBuilder &k, const ProductShape &shape, int64_t count, Value row,
         Value column, llvm::function_ref<Value(Value, Value)> element,
         Value columns) {
  auto vectorType = VectorType::get({kFloatLanes}, k.f32());
  FloatMath math(k, kFloatLanes);
  SmallVector<Value> zeros(count, math.f32(0));
  auto loop =
      scf::ForOp::create(k.b, k.index(0), k.index(shape.k), k.index(1), zeros);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  Value term = loop.getInductionVar();
  Value right = vector::LoadOp::create(k.b, vectorType, columns,
                                       ValueRange{term, column});
  SmallVector<Value> next;
  for (int64_t i = 0; i < count; ++i) {
    Value left = element(k.addIndex(row, k.index(i)), term);
    Value spread = vector::BroadcastOp::create(k.b, vectorType, left);
    next.push_back(math.fma(spread, right, loop.getRegionIterArg(i)));
  }
  scf::YieldOp::create(k.b, next);
  return SmallVector<Value>(loop.getResults());
}

void tally::cpu::emitFloatProduct(
    KernelBuilder &k, const ProductShape &shape,
    llvm::function_ref<Value(Value, Value)> element, Value columns,
    llvm::function_ref<void(Value, Value, Value)> store) {
  int64_t count = rowsPerTile(shape.rows);
  Value tile = k.scratch({count, kFloatLanes}, k.f32());
  int64_t blocks = paddedColumns(shape.columns) / kFloatLanes;
  k.loops({shape.rows / count, blocks}, [&](ValueRange position) {
    Value row = k.mulIndex(position[0], count);
    Value column = k.mulIndex(position[1], kFloatLanes);
    auto sums = tileSums(k, shape, count, row, column, element, columns);
    for (auto [i, sum] : llvm::enumerate(sums))
      vector::StoreOp::create(k.b, sum, tile,
                              ValueRange{k.index(i), k.index(0)});
    Value left = arith::SubIOp::create(k.b, k.index(shape.columns), column);
    Value width = arith::MinSIOp::create(k.b, left, k.index(kFloatLanes));
    for (int64_t i = 0; i < count; ++i) {
      auto loop = scf::ForOp::create(k.b, k.index(0), width, k.index(1));
      OpBuilder::InsertionGuard guard(k.b);
      k.b.setInsertionPointToStart(loop.getBody());
      Value lane = loop.getInductionVar();
      store(k.addIndex(row, k.index(i)), k.addIndex(column, lane),
            k.load(tile, {k.index(i), lane}));
    }
  });
}

Value tally::cpu::constantColumns(
    KernelBuilder &k, int64_t terms, int64_t columns,
    llvm::function_ref<int64_t(int64_t term, int64_t column)> element) {
  // Codes that are made real when run are smaller than the panel; what others
  // read has to be there as it is.
  if (!k.isConstantOfProducts(1))
    return {};
  auto matrix = k.constantOperand(1);
  eval::Tensor panel;
  panel.element = eval::Element::F32;
  panel.shape = {terms, paddedColumns(columns)};
  panel.allocate();
  for (int64_t term = 0; term < terms; ++term)
    for (int64_t column = 0; column < columns; ++column)
      panel.data<float>()[term * panel.shape[1] + column] =
          matrix->data<float>()[element(term, column)];
  return k.constant(panel);
}
