//===- Cast.cpp - numbers of one type as numbers of another ---------------===//

#include "tally/eval/Cast.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/APSInt.h"

#include <cmath>

using namespace tally::eval;

static const llvm::fltSemantics &semanticsOf(Element element) {
  switch (element) {
  case Element::F16:
    return llvm::APFloat::IEEEhalf();
  case Element::BF16:
    return llvm::APFloat::BFloat();
  case Element::F64:
    return llvm::APFloat::IEEEdouble();
  default:
    return llvm::APFloat::IEEEsingle();
  }
}

/// An integer rounded once, straight to the result's format: through a double
/// a 64-bit integer would be rounded twice.
static double integerAsFloat(const Tensor &input, int64_t i, Element element) {
  llvm::APFloat value(semanticsOf(element));
  llvm::APInt bits(64, static_cast<uint64_t>(loadInt(input, i)));
  value.convertFromAPInt(bits, isSigned(input.element),
                         llvm::APFloat::rmNearestTiesToEven);
  bool lossy;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &lossy);
  return value.convertToDouble();
}

/// Truncated and saturated to the range of `element`; NaN gives 0.
static int64_t floatAsInteger(double value, Element element) {
  unsigned bits = 8 * byteSize(element);
  llvm::APSInt result(bits, !isSigned(element));
  bool exact;
  llvm::APFloat(value).convertToInteger(result, llvm::APFloat::rmTowardZero,
                                        &exact);
  return isSigned(element) ? result.getSExtValue()
                           : static_cast<int64_t>(result.getZExtValue());
}

void tally::eval::castElements(const Tensor &input, Tensor &result) {
  bool fromFloat = isFloat(input.element), toFloat = isFloat(result.element);
  for (int64_t i = 0, e = input.count(); i < e; ++i) {
    if (result.element == Element::Bool)
      storeInt(result, i,
               fromFloat ? loadFloat(input, i) != 0 : loadInt(input, i) != 0);
    else if (fromFloat && toFloat)
      storeFloat(result, i, loadFloat(input, i));
    else if (fromFloat)
      storeInt(result, i, floatAsInteger(loadFloat(input, i), result.element));
    else if (toFloat)
      storeFloat(result, i, integerAsFloat(input, i, result.element));
    else
      storeInt(result, i, loadInt(input, i));
  }
}
