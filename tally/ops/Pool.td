//===- Pool.td - what pooling operators share ---------------*- tablegen -*-===//
//
// input [N, C, D1..Dn], output [N, C, O1..On] with
//
//   O = floor((D + padBegin + padEnd - dilation * (K - 1) - 1) / stride) + 1
//
// or, with ceilMode, ceil in place of floor, less one when the last window
// would start at or after D + padBegin. `pads` lists all begins, then all ends.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_POOL_TD
#define TALLY_OPS_POOL_TD

include "tally/ops/OpBase.td"

def Nn_POOL_1 : Nn_Rule<"POOL-1", "the input has rank >= 3">;
def Nn_POOL_2 : Nn_Rule<"POOL-2", "kernel, strides and dilations have n "
                                  "positive entries, pads 2n">;
def Nn_POOL_3 : Nn_Rule<"POOL-3", "every pad is at least 0 and less than "
                                  "dilation * (K - 1) + 1">;
def Nn_POOL_4 : Nn_Rule<"POOL-4", "every output dimension is positive">;
def Nn_POOL_5 : Nn_Rule<"POOL-5", "elements: float, quantized per tensor, or "
                                  "(max_pool) integer">;
defvar Nn_PoolRules = [Nn_POOL_1, Nn_POOL_2, Nn_POOL_3, Nn_POOL_4, Nn_POOL_5];

/// For examples on shapes 1x1xN: pairs of neighbours; one window, dilated, with
/// a tap on either side of a single element.
defvar Nn_WindowsOfTwo = "{kernel = array<i64: 2>, strides = array<i64: 1>, "
                         "pads = array<i64: 0, 0>, dilations = array<i64: 1>}";
defvar Nn_WindowMissesAll =
    "{kernel = array<i64: 2>, strides = array<i64: 1>, "
    "pads = array<i64: 1, 1>, dilations = array<i64: 2>}";

class Nn_PoolOp<string mnemonic>
    : Nn_Op<mnemonic, [Nn_FusionAnchor,
                       DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  dag commonArguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$kernel,
                             DenseI64ArrayAttr:$strides,
                             DenseI64ArrayAttr:$pads,
                             DenseI64ArrayAttr:$dilations,
                             DefaultValuedAttr<BoolAttr, "false">:$ceilMode);
  let arguments = commonArguments;
  let results = (outs Nn_Tensor:$output);
  let sharedRules = Nn_PoolRules;
}

#endif // TALLY_OPS_POOL_TD
