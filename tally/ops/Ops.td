//===- Ops.td - every operator, one file each ---------------*- tablegen -*-===//
//
// Keep sorted.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_OPS_TD
#define TALLY_OPS_OPS_TD

include "tally/ops/Add.td"
include "tally/ops/Constant.td"
include "tally/ops/Conv.td"
include "tally/ops/Dequantize.td"
include "tally/ops/Gemm.td"
include "tally/ops/Quantize.td"
include "tally/ops/Relu.td"
include "tally/ops/Requantize.td"
include "tally/ops/Reshape.td"
include "tally/ops/StorageCast.td"

#endif // TALLY_OPS_OPS_TD
