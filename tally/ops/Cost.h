//===- Cost.h - how much work an operation is -------------------*- C++ -*-===//

#ifndef TALLY_OPS_COST_H
#define TALLY_OPS_COST_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace tally::nn {

/// Multiply-adds of a convolution or matrix product, from shapes; nothing for
/// other operations. Padding counts.
std::optional<int64_t> multiplyAdds(mlir::Operation *op);

} // namespace tally::nn

#endif // TALLY_OPS_COST_H
