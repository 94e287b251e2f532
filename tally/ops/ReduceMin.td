include "tally/ops/Reduce.td"

def Nn_ReduceMinOp
    : Nn_ReduceOp<"reduce_min", [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "smallest of the reduced elements";
  let description = [{
    Floats: NaN when there is one; -0 is less than +0; +infinity without terms.
    Integers and codes: the type's or grid's largest without terms. Codes: the
    smallest code, its real rounded onto the result's grid.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kNumber | kCodes";
  let resultGrid = "free";
  let specials = [Nn_Special<["nan", "1"], "nan">,
                  Nn_Special<["-0", "0"], "-0">, Nn_Special<["0", "-0"], "-0">,
                  Nn_Special<["int_min", "int_max"], "int_min">];
  let monotone = "up in every element";
  let range = "the elements' range";
}
