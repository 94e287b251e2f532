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
  let monotone = "up in every element";
  let range = "the elements' range";
  let resultGrid = "free";
}
