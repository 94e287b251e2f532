//===- ChannelParameters.h - what products need by channel ------*- C++ -*-===//
//
// Bias and requantization of a product's channels follow from its weights and
// grids alone. Deriving them reads every weight and proves every record, so the
// schedules of one graph that are compared share them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_CHANNELPARAMETERS_H
#define TALLY_SCHEDULE_CHANNELPARAMETERS_H

#include "tally/quant/Requantize.h"

#include "mlir/IR/Operation.h"

#include <map>

namespace tally::schedule {

/// One entry for each channel of a product.
struct ChannelParameters {
  std::vector<int32_t> bias; ///< in accumulator units
  std::vector<quant::RequantizeRecord> records;
};

/// By operator and number of its product: those of a transposed convolution are
/// counted, others are 0. Good for one graph that does not change, and machines
/// of equal requantize units.
using KnownParameters =
    std::map<std::pair<mlir::Operation *, int64_t>, ChannelParameters>;

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_CHANNELPARAMETERS_H
