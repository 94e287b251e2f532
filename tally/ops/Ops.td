//===- Ops.td - every operator, one file each ---------------*- tablegen -*-===//
//
// Keep sorted.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_OPS_TD
#define TALLY_OPS_OPS_TD

include "tally/ops/Add.td"
include "tally/ops/ArgMax.td"
include "tally/ops/ArgMin.td"
include "tally/ops/AveragePool.td"
include "tally/ops/BatchNormalization.td"
include "tally/ops/Constant.td"
include "tally/ops/Conv.td"
include "tally/ops/ConvInteger.td"
include "tally/ops/ConvTranspose.td"
include "tally/ops/Dequantize.td"
include "tally/ops/DequantizeRuntime.td"
include "tally/ops/DynamicQuantizeLinear.td"
include "tally/ops/Gemm.td"
include "tally/ops/GroupNormalization.td"
include "tally/ops/InstanceNormalization.td"
include "tally/ops/IntegerSoftmax.td"
include "tally/ops/LayerNormalization.td"
include "tally/ops/LogSoftmax.td"
include "tally/ops/LpNormalization.td"
include "tally/ops/Lrn.td"
include "tally/ops/MatMul.td"
include "tally/ops/MatMulInteger.td"
include "tally/ops/MaxPool.td"
include "tally/ops/Quantize.td"
include "tally/ops/QuantizeRuntime.td"
include "tally/ops/ReduceL1.td"
include "tally/ops/ReduceL2.td"
include "tally/ops/ReduceLogSum.td"
include "tally/ops/ReduceLogSumExp.td"
include "tally/ops/ReduceMax.td"
include "tally/ops/ReduceMean.td"
include "tally/ops/ReduceMin.td"
include "tally/ops/ReduceProd.td"
include "tally/ops/ReduceSum.td"
include "tally/ops/ReduceSumSquare.td"
include "tally/ops/Relu.td"
include "tally/ops/Requantize.td"
include "tally/ops/Reshape.td"
include "tally/ops/RmsNormalization.td"
include "tally/ops/Softmax.td"
include "tally/ops/StorageCast.td"
include "tally/ops/TopK.td"

#endif // TALLY_OPS_OPS_TD
