include "tally/ops/OpBase.td"

def Nn_DynamicQuantizeLinearOp : Nn_Op<"dynamic_quantize_linear"> {
  let summary = "codes, scale and zero point of a tensor from its own range";
  let description = [{
    All in fp32, each operation rounded once:

        low   = min(0, smallest x)      high = max(0, largest x)
        scale = (high - low) / 255, or 1 when high equals low
        zero  = RHE(clamp(0 - low / scale, 0, 255))
        code  = sat(RHE(x / scale) + zero)

    So an all-zero (or empty) input has scale 1 and zero point 0. NaN elements
    take no part in the range and get code 0; an infinite element makes the
    scale infinite, and a zero point of NaN counts as 0.

    Results are plain: codes ui8, scale f32 and zero point ui8 (scalars).

    Rules:
      * DYNQ-1  the input is f32
  }];
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$output, Nn_Tensor:$scale,
                      Nn_Tensor:$zeroPoint);
  let elements = "f32";
  let specialNote =
      "NaN takes no part in the range and gives code 0; an infinity makes the "
      "scale infinite";
  let examples = [
    Nn_OwnTypes<["f32 3: nan 0 255"],
      ["ui8 3: 0 0 255", "f32 scalar: 1", "ui8 scalar: 0"]>,
    Nn_OwnTypes<["f32 2: inf 1"],
      ["ui8 2: 0 0", "f32 scalar: inf", "ui8 scalar: 0"]>
  ];
  let monotone = "up within one tensor";
  let range = "codes 0 to 255";
  let resultGrid = "none";
  let gridNote = "plain ui8, f32 and ui8";
}
