//===- Grid.cpp - what makes a quantization legal -------------------------===//

#include "tally/quant/Grid.h"
#include "tally/support/RealText.h"

#include <cmath>

using namespace tally;
using namespace tally::quant;

static Diagnostic broken(std::string message, std::string rule,
                         std::string hint) {
  return {FailureKind::Model, std::move(message), std::move(rule), "", "",
          std::move(hint)};
}

static Status checkCounts(const Grid &grid) {
  size_t scales = grid.scales.size(), zeros = grid.zeroPoints.size();
  bool countsAgree = zeros == 1 || zeros == scales;
  bool fitsAxis = grid.isPerAxis() || (scales == 1 && zeros == 1);
  if (scales >= 1 && countsAgree && fitsAxis)
    return Status::success();
  return broken("quantization has " + std::to_string(scales) + " scales and " +
                    std::to_string(zeros) + " zero points" +
                    (grid.isPerAxis() ? "" : " but no axis"),
                "QNT-COUNT",
                "give one of each, or one per index of the quantized axis");
}

static Status checkScales(const Grid &grid) {
  for (size_t i = 0; i < grid.scales.size(); ++i) {
    float scale = grid.scales[i];
    if (std::isfinite(scale) && scale > 0)
      continue;
    return broken("scale " + std::to_string(i) + " is " + shortest(scale) +
                      ", expected a finite number above 0",
                  "QNT-SCALE", "requantize the model");
  }
  return Status::success();
}

static Status checkZeroPoints(const Grid &grid) {
  for (size_t i = 0; i < grid.zeroPoints.size(); ++i) {
    int32_t zero = grid.zeroPoints[i];
    if (grid.type.contains(zero))
      continue;
    return broken(
        "zero point " + std::to_string(i) + " is " + std::to_string(zero) +
            ", outside [" + std::to_string(grid.type.min()) + ", " +
            std::to_string(grid.type.max()) + "] of " + grid.type.name(),
        "QNT-ZERO", "a zero point is a code of the quantized type");
  }
  return Status::success();
}

Status quant::validate(const Grid &grid) {
  if (!grid.type.isValid())
    return broken("code type has " + std::to_string(grid.type.bits) + " bits",
                  "QNT-TYPE", "use 4, 8, 16 or 32 bits");
  if (Status status = checkCounts(grid); !status)
    return status;
  if (Status status = checkScales(grid); !status)
    return status;
  return checkZeroPoints(grid);
}

Status quant::validate(const Grid &grid, int64_t channels) {
  if (Status status = validate(grid); !status)
    return status;
  if (!grid.isPerAxis() || int64_t(grid.scales.size()) == channels)
    return Status::success();
  return broken("axis " + std::to_string(grid.axis) + " has " +
                    std::to_string(channels) + " elements but " +
                    std::to_string(grid.scales.size()) + " scales",
                "QNT-CHANNELS", "give one scale per element of that axis");
}
