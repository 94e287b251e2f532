//===- HandedOn.h - results that a call does not compute --------*- C++ -*-===//

#ifndef TALLY_OPS_HANDEDON_H
#define TALLY_OPS_HANDEDON_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::nn {

/// Attribute (a text) of a result of `main`, and of a state that is given by
/// it: the model's node that hands on what it returns.
inline constexpr llvm::StringLiteral kHandingNode = "nn.node";

/// The argument or constant that `value` is, seen through operations that only
/// rename its elements; null if `value` is computed.
mlir::Value handedOn(mlir::Value value);

/// Of result `i` of `main`, if it is handed on: "the input 'x', which 'id'
/// hands on", "the old value of state 's'", "a constant"; else empty.
std::string whatIsHandedOn(mlir::func::FuncOp function, unsigned i);

} // namespace tally::nn

#endif // TALLY_OPS_HANDEDON_H
