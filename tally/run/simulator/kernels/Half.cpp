//===- Half.cpp - binary16 numbers ----------------------------------------===//

#include "tally/run/simulator/kernels/Half.h"

#include "llvm/ADT/APFloat.h"

using llvm::APFloat;
using llvm::APInt;

float tally::simulator::floatOfHalf(uint16_t bits) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToFloat();
}

uint16_t tally::simulator::halfOf(double value) {
  APFloat half(value);
  if (half.isNaN())
    return 0x7e00;
  bool losesInfo;
  half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(half.bitcastToAPInt().getZExtValue());
}
