//===- Lowerings.cpp - CPU code of every operator -------------------------===//

#include "tally/cpu/lower/Lowerings.h"

void tally::cpu::registerLowerings(mlir::MLIRContext &context) {
  registerConvLowering(context);
  registerElementwiseLowerings(context);
  registerGemmLowering(context);
  registerMatMulLowerings(context);
  registerNormalizationLowerings(context);
  registerPoolLowerings(context);
  registerQuantizationLowerings(context);
  registerReductionLowerings(context);
  registerRuntimeQuantizationLowerings(context);
}
