include "tally/ops/Pool.td"

def Nn_MaxPoolIndicesOp
    : Nn_Op<"max_pool_indices"> {
  let summary = "where the largest element of each window is";
  let description = [{
    The second result of ONNX's MaxPool; shapes and rules: see Pool.td. The
    result is i64: the position in the whole input of the first tap, in
    row-major order, that holds what nn.max_pool gives, counted row-major, or,
    with columnMajor, column-major within the spatial dimensions. A window
    without any element gives -1.
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations,
                       DefaultValuedAttr<BoolAttr, "false">:$ceilMode,
                       DefaultValuedAttr<BoolAttr, "false">:$columnMajor);
  let results = (outs Nn_Tensor:$output);
  let elements = "floats, integers, or quantized per tensor";
  let sharedRules = Nn_PoolRules;
  let specialNote = "as nn.max_pool; an empty window gives -1";
  let examples = [
    Nn_Example<["1x1x3: 1 nan 2"], ["i64 1x1x2: 1 1"], Nn_WindowsOfTwo>,
    Nn_Example<["1x1x3: -0 0 -0"], ["i64 1x1x2: 1 1"], Nn_WindowsOfTwo>,
    Nn_Example<["1x1x1: 2"], ["i64 1x1x1: -1"], Nn_WindowMissesAll>
  ];
  let monotone = "none";
  let range = "-1, and positions in the input";
  let resultGrid = "none";
  let gridNote = "plain i64";
}
