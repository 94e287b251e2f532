//===- GraphBuilder.h - a random graph, operator by operator ----*- C++ -*-===//
//
// Adds operators to a function in the form that the importer gives: code
// tensors behind Dequantize, an operator on reals, clamps and movements, and a
// Quantize behind. Operators choose their operands among the tensors made so
// far (the pool), inputs and constants; what they publish joins the pool.
//
// Every operation is evaluated as it is added, with its float meaning, on the
// inputs' values. So scales can be chosen as a calibration would choose them,
// to hold what really occurs; and the inputs of the finished graph are known.
//
// An operation that breaks a rule of its operator is dropped and counted: a
// recipe may draw attributes without repeating every rule.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_GRAPHBUILDER_H
#define TALLY_FUZZ_GRAPHBUILDER_H

#include "tally/fuzz/Draws.h"
#include "tally/graph/Rejection.h"
#include "tally/ops/Inference.h"
#include "tally/ops/Ops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tally::fuzz {

/// What shape an operand may have.
struct Ranks {
  int64_t least = 0, most = 4;
  bool mayBeEmpty = true;
};
inline constexpr Ranks kAnyRank{};
inline constexpr Ranks kNotEmpty{1, 4, false};
inline constexpr Ranks kImage{3, 5, false};

class GraphBuilder {
public:
  /// Adds to the end of `function`'s only block, which has no terminator yet.
  GraphBuilder(mlir::func::FuncOp function, Random &random);

  Random &random;

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  /// A tensor of the pool that `fits`, rather a recent one; null when none.
  mlir::Value pick(llvm::function_ref<bool(mlir::Value)> fits);
  /// Reals (f32): of the pool, codes behind a Dequantize, or new ones.
  mlir::Value real(Ranks ranks = kAnyRank);
  mlir::Value realOf(llvm::ArrayRef<int64_t> shape);
  /// Any tensor of the pool, codes as they are, or a new one.
  mlir::Value any(Ranks ranks = kAnyRank);
  /// Plain integers (booleans) of the given element type.
  mlir::Value integers(mlir::Type element, Ranks ranks = kAnyRank);
  mlir::Value integersOf(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  /// Codes, without a Dequantize.
  mlir::Value codes(Ranks ranks, llvm::function_ref<bool(mlir::Value)> fits);

  /// Constant reals with a grid per tensor or along `axis` (-1: per tensor):
  /// codes behind a Dequantize in most cases; f32, quantized floats and
  /// transposed constants in the others.
  mlir::Value weight(llvm::ArrayRef<int64_t> shape, int64_t axis);
  /// An addend of shape [.., n] for the product of `x` and `weight`, with
  /// scales along its last dimension where the weight has several: i32 codes
  /// of the product's scale, of another one, f32, or null.
  mlir::Value bias(llvm::ArrayRef<int64_t> shape, mlir::Value x,
                   mlir::Value weight);

  mlir::Value input(mlir::RankedTensorType type);
  mlir::Value constant(mlir::RankedTensorType type);
  mlir::Value constant(const eval::Tensor &tensor, mlir::Type element);
  mlir::Value realConstant(llvm::ArrayRef<int64_t> shape);
  mlir::Value number(float value);

  /// `codes` behind a Dequantize, a new one or one that is there.
  mlir::Value dequantized(mlir::Value codes);
  /// `value` behind a Quantize onto `grid`.
  mlir::Value quantized(mlir::Value value, mlir::Type grid);
  /// A per-tensor grid for `value`: calibrated, or that of other codes, or a
  /// multiple of theirs.
  mlir::Type gridFor(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Operators
  //===--------------------------------------------------------------------===//

  /// Adds an operation with inferred result types and returns its first result,
  /// null when it breaks a rule. `element` replaces the first result's element
  /// type when not null.
  template <typename OpTy, typename... Args>
  mlir::Value createAs(mlir::Type element, Args &&...args);
  template <typename OpTy, typename... Args>
  mlir::Value create(Args &&...args) {
    return createAs<OpTy>({}, std::forward<Args>(args)...);
  }

  /// Ends a recipe: quantizes floats in most cases, with clamps before, and
  /// publishes. Null values are passed over.
  void settle(mlir::Value value);
  void publish(mlir::Value value) {
    if (value)
      pool.push_back(value);
  }

  const eval::Tensor &valueOf(mlir::Value value) { return values[value]; }
  mlir::ArrayRef<mlir::Value> published() const { return pool; }
  /// Begins a graph that shares no tensor with what is there.
  void startGraph() { pool.clear(); }

  mlir::MLIRContext *context() { return builder.getContext(); }
  mlir::DenseI64ArrayAttr i64s(llvm::ArrayRef<int64_t> list) {
    return builder.getDenseI64ArrayAttr(list);
  }
  mlir::RankedTensorType type(llvm::ArrayRef<int64_t> shape,
                              mlir::Type element) {
    return mlir::RankedTensorType::get(shape, element);
  }
  mlir::Type integer(unsigned bits, bool isSigned = true);
  mlir::Type randomInteger();

  mlir::OpBuilder builder;
  /// Operations that were dropped.
  int64_t dropped = 0;

private:
  mlir::Value newReal(llvm::ArrayRef<int64_t> shape);
  mlir::Value asReal(mlir::Value value);
  mlir::Value finish(mlir::OperationState &state, mlir::Type element,
                     llvm::LogicalResult inferred,
                     llvm::ArrayRef<mlir::ShapedTypeComponents> components);
  /// Verifies and evaluates `op`, or erases it.
  bool accept(mlir::Operation *op);
  mlir::Value weightCodes(llvm::ArrayRef<int64_t> shape, int64_t axis);
  mlir::Value clamped(mlir::Value value);
  /// The operator that makes `value`, on codes instead of reals; null when it
  /// has no such form here.
  mlir::Value onCodes(mlir::Value value);
  eval::Shape drawShapeOf(Ranks ranks);

  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> pool;
  llvm::DenseMap<mlir::Value, eval::Tensor> values;
  int64_t number_ = 0;
};

/// Codes of one grid per tensor.
bool isCodes(mlir::Value value);
/// f32, not quantized.
bool isReal(mlir::Value value);
/// Whether a shape is one of those asked for.
bool fits(Ranks ranks, llvm::ArrayRef<int64_t> shape);

//===----------------------------------------------------------------------===//

template <typename OpTy, typename... Args>
mlir::Value GraphBuilder::createAs(mlir::Type element, Args &&...args) {
  mlir::OperationState state(builder.getUnknownLoc(), OpTy::getOperationName());
  constexpr unsigned results =
      OpTy::template hasTrait<mlir::OpTrait::OneResult>()           ? 1
      : OpTy::template hasTrait<mlir::OpTrait::NResults<2>::Impl>() ? 2
                                                                    : 3;
  // Built with any result types first: inference reads operands and properties.
  llvm::SmallVector<mlir::Type> placeholders(
      results, mlir::NoneType::get(builder.getContext()));
  OpTy::build(builder, state, mlir::TypeRange(placeholders),
              std::forward<Args>(args)...);
  state.types.clear();
  if (llvm::is_contained(state.operands, mlir::Value())) {
    ++dropped; // an operand was
    return {};
  }
  if (state.getRawProperties())
    state.name.populateDefaultProperties(state.getRawProperties());
  nn::CapturedRejection rejection(context());
  llvm::SmallVector<mlir::ShapedTypeComponents, 2> components;
  llvm::LogicalResult inferred = OpTy::inferReturnTypeComponents(
      context(), state.location, mlir::ValueShapeRange(state.operands),
      state.attributes.getDictionary(context()), state.getRawProperties(),
      mlir::RegionRange(), components);
  return finish(state, element, inferred, components);
}

} // namespace tally::fuzz

#endif // TALLY_FUZZ_GRAPHBUILDER_H
