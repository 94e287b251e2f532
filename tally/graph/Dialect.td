//===- Dialect.td - the nn dialect --------------------------*- tablegen -*-===//
//
// Values of a neural network: ranked, static tensors whose element type is
// either a plain number or an upstream quantized type.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_DIALECT_TD
#define TALLY_GRAPH_DIALECT_TD

include "mlir/IR/OpBase.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::tally::nn";
  let summary = "operators of a neural network on static tensors";
  let description = [{
    Every value is a ranked tensor of static shape. An element type
    `!quant.uniform<...>` means codes: the real value of code `q` is
    `scale * (q - zeroPoint)`, with the scale taken as the exact rational of
    its fp32 value. An operator whose operands and result carry quantized
    types means: the exact real result of the exact real operands, rounded
    half to even onto the result's grid, zero point added, saturated.

    Plain signless integers are signed (`i8`), unsigned ones are spelled
    `ui8`; `i1` is a boolean.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let hasConstantMaterializer = 1;
}

#endif // TALLY_GRAPH_DIALECT_TD
