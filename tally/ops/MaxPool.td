include "tally/ops/Pool.td"

def Nn_MaxPoolOp : Nn_PoolOp<"max_pool"> {
  let summary = "largest element of each window";
  let description = [{
    Shapes and rules: see Pool.td. Padding takes no part. A window without any
    element (a dilated one can miss them all) gives -infinity, the type's
    smallest integer, or the smallest code of the input's grid.

    Floats: NaN when the window holds one; -0 is less than +0. Codes: the
    largest code, its real rounded onto the result's grid; with equal grids
    the largest code itself.
  }];
  let elements = "floats, integers, or quantized per tensor";
  let specialNote =
      "NaN wins; -0 is less than +0; an empty window gives the least value of "
      "the type";
  let examples = [
    Nn_Example<["1x1x3: 1 nan 2"], ["1x1x2: nan nan"], Nn_WindowsOfTwo>,
    Nn_Example<["1x1x3: 0 -0 0"], ["1x1x2: 0 0"], Nn_WindowsOfTwo>,
    Nn_Example<["1x1x1: 2"], ["1x1x1: -inf"], Nn_WindowMissesAll>,
    Nn_Example<["1x1x1: 2"], ["1x1x1: int_min"], Nn_WindowMissesAll, "integer">,
    Nn_OwnTypes<["codes 1x1x1: 2"], ["codes 1x1x1: int_min"],
      Nn_WindowMissesAll>
  ];
  let monotone = "up in every element";
  let range = "the elements' range";
  let resultGrid = "free";
}
