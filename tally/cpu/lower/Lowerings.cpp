//===- Lowerings.cpp - CPU code of every operator -------------------------===//

#include "tally/cpu/lower/Lowerings.h"

void tally::cpu::registerLowerings(mlir::MLIRContext &context) {
  registerBatchNormalizationLowering(context);
  registerBinaryLowerings(context);
  registerCastLowering(context);
  registerConvLowering(context);
  registerFusedLowering(context);
  registerGemmLowering(context);
  registerIndexingLowerings(context);
  registerIntegerSoftmaxLowering(context);
  registerLogicLowerings(context);
  registerLookupLowering(context);
  registerMatMulLowerings(context);
  registerMovementLowerings(context);
  registerNormalizationLowerings(context);
  registerPoolLowerings(context);
  registerPositionLowerings(context);
  registerPowLowering(context);
  registerQuantizationLowerings(context);
  registerReductionLowerings(context);
  registerResizeLowering(context);
  registerRowNormalizationLowerings(context);
  registerRuntimeQuantizationLowerings(context);
  registerSoftmaxLowerings(context);
  registerTopKLowering(context);
  registerUnaryLowerings(context);
}
