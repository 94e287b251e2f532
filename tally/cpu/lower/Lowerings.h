//===- Lowerings.h - CPU code of every operator -----------------*- C++ -*-===//
//
// Each family attaches the CpuLowering interface to its operators.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_LOWER_LOWERINGS_H
#define TALLY_CPU_LOWER_LOWERINGS_H

#include "mlir/IR/MLIRContext.h"

namespace tally::cpu {

/// Attaches all of the following.
void registerLowerings(mlir::MLIRContext &context);

void registerBatchNormalizationLowering(mlir::MLIRContext &context);
void registerBinaryLowerings(mlir::MLIRContext &context);
void registerCastLowering(mlir::MLIRContext &context);
void registerConvLowering(mlir::MLIRContext &context);
void registerFusedLowering(mlir::MLIRContext &context);
void registerGemmLowering(mlir::MLIRContext &context);
void registerIndexingLowerings(mlir::MLIRContext &context);
void registerIntegerSoftmaxLowering(mlir::MLIRContext &context);
void registerLogicLowerings(mlir::MLIRContext &context);
void registerLookupLowering(mlir::MLIRContext &context);
void registerMatMulLowerings(mlir::MLIRContext &context);
void registerMovementLowerings(mlir::MLIRContext &context);
void registerNormalizationLowerings(mlir::MLIRContext &context);
void registerPoolLowerings(mlir::MLIRContext &context);
void registerPositionLowerings(mlir::MLIRContext &context);
void registerPowLowering(mlir::MLIRContext &context);
void registerQuantizationLowerings(mlir::MLIRContext &context);
void registerReductionLowerings(mlir::MLIRContext &context);
void registerResizeLowering(mlir::MLIRContext &context);
void registerRowNormalizationLowerings(mlir::MLIRContext &context);
void registerRuntimeQuantizationLowerings(mlir::MLIRContext &context);
void registerSoftmaxLowerings(mlir::MLIRContext &context);
void registerTopKLowering(mlir::MLIRContext &context);
void registerUnaryLowerings(mlir::MLIRContext &context);

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_LOWERINGS_H
