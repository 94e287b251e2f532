//===- Folding.h - operations on constants ----------------------*- C++ -*-===//

#ifndef TALLY_OPS_FOLDING_H
#define TALLY_OPS_FOLDING_H

#include "tally/eval/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tally::nn {

/// The result of an operation with one result whose operands are all
/// constants, when every numerics profile gives the same; nothing for any other
/// operation, and where the evaluation fails.
std::optional<eval::Tensor> evaluateConstant(mlir::Operation *op);

/// The contents of a value that depends on constants only, however far away
/// they are; nothing for any other value, and where the evaluation fails.
std::optional<eval::Tensor> constantValue(mlir::Value value);

/// The result of an operation with one result, on operands whose contents `of`
/// knows, under the ideal profile; nothing where it does not know one, and
/// where the evaluation fails.
std::optional<eval::Tensor>
evaluateIdeal(mlir::Operation *op,
              llvm::function_ref<std::optional<eval::Tensor>(mlir::Value)> of);

/// What elementwise operations give for each of the 256 codes of `input`, by
/// the code's byte, under the ideal profile. `body` is in order; it reads
/// `input`, results of earlier operations of it, and constants of one element.
/// Nothing where the evaluation fails.
std::optional<eval::Tensor>
evaluateOnCodes(llvm::ArrayRef<mlir::Operation *> body, mlir::Value input);

/// What operations give with `contents` for `input` under the ideal profile,
/// where their results are of the types that `typeOf` says. `body` is in order;
/// it reads `input`, results of earlier operations of it, and what depends on
/// constants only. Nothing where the evaluation fails.
std::optional<eval::Tensor>
evaluateOnRows(llvm::ArrayRef<mlir::Operation *> body, mlir::Value input,
               const eval::Tensor &contents,
               llvm::function_ref<mlir::RankedTensorType(mlir::Value)> typeOf);

} // namespace tally::nn

#endif // TALLY_OPS_FOLDING_H
