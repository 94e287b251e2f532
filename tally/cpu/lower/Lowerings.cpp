//===- Lowerings.cpp - CPU code of every operator -------------------------===//

#include "tally/cpu/lower/Lowerings.h"

void tally::cpu::registerLowerings(mlir::MLIRContext &context) {
  registerBinaryLowerings(context);
  registerCastLowering(context);
  registerConvLowering(context);
  registerGemmLowering(context);
  registerIndexingLowerings(context);
  registerLogicLowerings(context);
  registerMovementLowerings(context);
  registerPositionLowerings(context);
  registerPowLowering(context);
  registerQuantizationLowerings(context);
  registerResizeLowering(context);
  registerUnaryLowerings(context);
}
