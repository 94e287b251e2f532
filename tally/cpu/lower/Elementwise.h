//===- Elementwise.h - operators that compute each element alone *- C++ -*-===//
//
// Such an operator is defined by the code of one result element. From it come
// its kernel and its form as a stage in the epilogue of an nn.fused.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_ELEMENTWISE_H
#define TALLY_CPU_LOWER_ELEMENTWISE_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/ops/CodeProblems.h"
#include "tally/quant/UnaryTable.h"

#include <limits>

namespace tally::cpu {

/// What the code of one result element can read.
struct ElementInputs {
  /// Emits the element of an operand that broadcasting pairs with this one.
  llvm::function_ref<Value(size_t operand)> load;
  Value element; ///< of the result; with lanes the first one's

  Value operator[](size_t operand) const { return load(operand); }
};

/// Emits one result element. Called inside of loops; what it captures was
/// made outside.
struct ElementCode : std::function<Value(const ElementInputs &x)> {
  using function::function;
  /// Loads may also give vectors of up to so many lanes, then the result is
  /// one: each lane is an element. 0: never.
  int64_t mostLanes = 0;
  /// Such lanes lie in one aligned block of so many elements of the result.
  int64_t span = std::numeric_limits<int64_t>::max();
  /// Operands that are loaded element by element: those before this one.
  size_t loaded = std::numeric_limits<size_t>::max();

  /// The same, taking lanes where `takes` says so: a wide register of codes.
  ElementCode onLanes(bool takes = true) && {
    mostLanes = takes ? kCodeLanes : 0;
    return std::move(*this);
  }
  /// The same for arithmetic in 32 bits, whose values between are many: vectors
  /// that leave registers for them.
  ElementCode onWideLanes(bool takes = true) && {
    mostLanes = takes ? kWideLanes : 0;
    return std::move(*this);
  }

private:
  static constexpr int64_t kCodeLanes = 64, kWideLanes = 16;
};

/// Numbers of the kernel's own, in a flat memref in plain order, whose shape
/// broadcasts to the result as an operand's does.
struct BesideTable {
  Value memref;
  eval::Shape shape;

  /// The largest span (ElementCode) that `load` suits.
  int64_t span(const KernelBuilder &k) const;
  /// The numbers of the elements from `element` on, in as many lanes as `like`
  /// has, or that of `element`.
  Value load(KernelBuilder &k, Value element, Value like) const;
};

/// The kernel: every result element, with numpy broadcasting of all operands.
void emitElementwise(KernelBuilder &k, const ElementCode &code);

/// The stage: operand `chained` is given, others are loaded.
ElementStage elementStage(KernelBuilder &k, size_t chained, ElementCode code);

/// Calls body(indices) for all elements of a shape as they lie in memory.
void forEachIndex(KernelBuilder &k, const eval::Shape &shape, Order order,
                  llvm::function_ref<void(mlir::ValueRange)> body);

/// The element of an operand that broadcasting pairs with an element of the
/// kernel's result, whose shape is `result`.
Value broadcastElement(KernelBuilder &k, const eval::Shape &operand,
                       Order operandOrder, const eval::Shape &result,
                       Value element);

/// CPU code of an elementwise operator. `Concrete` defines
///
///   static Result<ElementCode> code(OpTy op, KernelBuilder &k);
///
/// which fails when the combination of types has no code.
template <typename Concrete, typename OpTy>
struct ElementwiseModel : CpuLowering::ExternalModel<Concrete, OpTy> {
  Status lower(mlir::Operation *op, KernelBuilder &k) const {
    auto code = Concrete::code(mlir::cast<OpTy>(op), k);
    if (!code)
      return code.takeError();
    emitElementwise(k, *code);
    return Status::success();
  }

  Result<ElementStage> stage(mlir::Operation *op, KernelBuilder &k,
                             size_t chained) const {
    auto code = Concrete::code(mlir::cast<OpTy>(op), k);
    if (!code)
      return code.takeError();
    return elementStage(k, chained, std::move(*code));
  }

  bool takesEpilogue(mlir::Operation *) const { return true; }
  Orders orders(mlir::Operation *) const { return Orders::Either; }
};

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

/// A failure of quant/ with the name of the kernel's node.
tally::Diagnostic atNode(KernelBuilder &k, tally::Diagnostic failure);

/// A per-tensor grid as quant/ takes it.
using nn::quantGrid;

/// The position of a code in a table: its own bits as an unsigned number.
Value tableIndex(KernelBuilder &k, Value code, quant::CodeType type);

/// Codes as a constant of the element that stores them.
Value codeTable(KernelBuilder &k, llvm::ArrayRef<int32_t> codes,
                eval::Element element);

/// The table of `function` from the codes of `in` to those of `out`: that of
/// the parameter block, verified, which the contract of operator `name` asks
/// for.
Result<quant::UnaryTable>
gridTable(KernelBuilder &k, const quant::UnaryFunction &function,
          llvm::StringRef name, const eval::Tensor &in, const eval::Tensor &out,
          quant::Profile profile = quant::Profile::Ideal);

/// `function` between the grids of operand 0 and the result, exact or as the
/// profile says: by a table, or by two bounds where all it does is to clamp.
Result<ElementCode> tableCode(KernelBuilder &k,
                              const quant::UnaryFunction &function);

/// Quantized Add or Sub by a certified linear record.
Result<ElementCode> linearCode(KernelBuilder &k, bool subtract);

/// Quantized Mul: the product of two steps, requantized by a certified record.
Result<ElementCode> productCode(KernelBuilder &k);

/// Quantized Max or Min: both operands on the result's grid, then the choice,
/// with which a monotone rounding commutes.
Result<ElementCode> choiceCode(KernelBuilder &k, bool greater);

/// Quantized PRelu with a constant slope: two factors, or one table, per
/// distinct slope.
Result<ElementCode> preluCode(KernelBuilder &k);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_ELEMENTWISE_H
