//===- Lookup.td - codes by a table -------------------------*- tablegen -*-===//

#ifndef TALLY_OPS_LOOKUP_TD
#define TALLY_OPS_LOOKUP_TD

include "tally/ops/OpBase.td"

def Nn_LookupOp : Op<Nn_Dialect, "lookup",
    [Pure, Nn_ElementwiseStage, DeclareOpInterfaceMethods<Nn_Operator>]> {
  let summary = "codes by a table";
  let description = [{
    Element i of the result is the entry of `table` for the byte of the input's
    code: entry 0 is that of code 0, entry 255 of u8's 255 and of i8's -1. An
    entry is the byte of the result's code. The fusion makes it of operators
    that together map codes to codes (rewrite/fusion/Tables.h).

    Rules:
      * LOOKUP-1  input and result have one shape, and codes of 8 bits with one
                  grid per tensor that has all 256 of them
      * LOOKUP-2  the table has 256 entries
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI8ArrayAttr:$table);
  let results = (outs Nn_Tensor:$output);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // TALLY_OPS_LOOKUP_TD
