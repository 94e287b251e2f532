//===- Types.h - tensor types, grids and host tensors -----------*- C++ -*-===//
//
// Translation between MLIR's tensor types (with upstream quantized element
// types) and the evaluator's tensors, and the checks that upstream's quantized
// types do not make.
//
// Rules on quantized element types:
//   QT-1  the storage type is 2 to 32 bits wide and the expressed type is f32
//   QT-2  every scale is finite and positive; it means the nearest fp32 value
//   QT-3  every zero point lies in the storage range
//   QT-4  per axis: the axis exists and has as many scales as its dimension
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_TYPES_H
#define TALLY_GRAPH_TYPES_H

#include "tally/eval/Tensor.h"
#include "tally/support/Result.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

#include <functional>

namespace tally::nn {

// Upstream's types under short names: `quant` alone would be ambiguous with
// our own arithmetic library.
using mlir::quant::QuantizedType;
using mlir::quant::UniformQuantizedPerAxisType;
using mlir::quant::UniformQuantizedType;

/// The quantized element type of a tensor type, or null.
QuantizedType quantizedElement(mlir::Type tensorType);

/// The type of what is in memory: codes become plain integers (`i8`, `ui8`).
mlir::Type storageElement(mlir::Type elementType);
mlir::RankedTensorType storageType(mlir::RankedTensorType type);

/// The evaluator's element for a plain or quantized element type, or nothing
/// when no executor handles the type.
std::optional<eval::Element> elementOf(mlir::Type elementType);

/// The builtin type of an evaluator element.
mlir::Type typeOf(mlir::MLIRContext *context, eval::Element element);

/// The grid of a quantized element type, and back. `bits` of the storage type
/// follow from qmin and qmax.
eval::Quantization gridOf(QuantizedType type);
QuantizedType quantizedType(mlir::MLIRContext *context,
                            const eval::Quantization &grid);

/// A tensor with the type's shape, element and grid, without storage.
eval::Tensor describe(mlir::RankedTensorType type);

/// Checks rules QT-1 to QT-4.
llvm::LogicalResult
verifyQuantizedTensor(mlir::RankedTensorType type,
                      llvm::function_ref<mlir::InFlightDiagnostic()> emit);

/// The constant `attribute` as a host tensor of type `type` (same shape).
/// Shares the attribute's memory when it is a resource: the tensor must not
/// outlive the context.
eval::Tensor hostTensor(mlir::ElementsAttr attribute,
                        mlir::RankedTensorType type);

/// An attribute holding a tensor's elements (storage types). Small tensors
/// are printed inline; large ones are resources named after `name` that share
/// the tensor's memory.
mlir::ElementsAttr elementsAttr(mlir::MLIRContext *context,
                                const eval::Tensor &tensor,
                                llvm::StringRef name);

} // namespace tally::nn

#endif // TALLY_GRAPH_TYPES_H
