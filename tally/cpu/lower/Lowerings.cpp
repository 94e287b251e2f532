//===- Lowerings.cpp - CPU code of every operator -------------------------===//

#include "tally/cpu/lower/Lowerings.h"

void tally::cpu::registerLowerings(mlir::MLIRContext &context) {
  registerConvLowering(context);
  registerElementwiseLowerings(context);
  registerGemmLowering(context);
  registerIndexingLowerings(context);
  registerMovementLowerings(context);
  registerPositionLowerings(context);
  registerQuantizationLowerings(context);
  registerResizeLowering(context);
}
