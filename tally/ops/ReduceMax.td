include "tally/ops/Reduce.td"

def Nn_ReduceMaxOp
    : Nn_ReduceOp<"reduce_max", [DeclareOpInterfaceMethods<Nn_Quantizable>]> {
  let summary = "largest of the reduced elements";
  let description = [{
    Floats: NaN when there is one; -0 is less than +0; -infinity without terms.
    Integers and codes: the type's or grid's smallest without terms. Codes: the
    largest code, its real rounded onto the result's grid. Stands for ONNX's
    GlobalMaxPool too.
    Axes and rules: see Reduce.td.
  }];
  let elementKinds = "kNumber | kCodes";
  let resultGrid = "free";
  let specials = [Nn_Special<["nan", "1"], "nan">, Nn_Special<["-0", "0"], "0">,
                  Nn_Special<["0", "-0"], "0">,
                  Nn_Special<["int_min", "int_max"], "int_max">];
  let monotone = "up in every element";
  let range = "the elements' range";
}
