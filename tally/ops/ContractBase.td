//===- ContractBase.td - fields of an operator contract -----*- tablegen -*-===//
//
// What an operator's definition states beside its summary and description: the
// record of Contract.h. scripts/generate-contracts turns these fields into C++;
// `tally ops`, docs/reference/operators.md, the CPU's parameter blocks and the
// tests of ContractTest.cpp read that.
//
// Values are C++ expressions over the operator's attributes, by their names,
// and `inf`; those of block fields also over
//
//   s1, z1   scale and zero point of the input
//   s2, z2   of the result; `min` and `max` its smallest and largest code
//   Q(x)     the result's code of the real x
//
// so that one text is printed and tested.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_CONTRACTBASE_TD
#define TALLY_OPS_CONTRACTBASE_TD

/// A rule that a family shares, with the label that its violation reports.
class Nn_Rule<string Label, string Text> {
  string label = Label;
  string text = Text;
}

/// Operands (the elements, for a reduction) and the result they give: numbers,
/// nan, inf, -inf, -0, int_min, int_max, true, false. Holds for every element
/// type that has these values, or only `on` "float" or "integer".
class Nn_Special<list<string> Operands, string Value, string On = ""> {
  list<string> operands = Operands;
  string result = Value;
  string on = On;
}
class Nn_At<string Operand, string Value, string On = "">
    : Nn_Special<[Operand], Value, On>;

/// What the operator gives on whole tensors: its special values when it is no
/// function of single elements. A tensor is its shape (2x3, scalar), a colon,
/// and its elements in the words above. An element type before the shape is the
/// tensor's own: f32, i64, ui8, i1 .., or `codes`, int8 codes of scale 1 and
/// zero point 0. A tensor without one has each type in turn that `on` names and
/// the operator takes: "float", "integer"; with "" every tensor has its own.
/// `const` before an operand makes it a constant. `attributes` as in the IR.
class Nn_Example<list<string> Operands, list<string> Results,
                 string Attributes = "", string On = "float"> {
  list<string> operands = Operands;
  list<string> results = Results;
  string attributes = Attributes;
  string on = On;
}
class Nn_OwnTypes<list<string> Operands, list<string> Results,
                  string Attributes = "">
    : Nn_Example<Operands, Results, Attributes, "">;

/// For examples of convolutions on shapes 1xCxN.
defvar Nn_PlainConv = "{strides = array<i64: 1>, pads = array<i64: 0, 0>, "
                      "dilations = array<i64: 1>, group = 1 : i64}";

/// How a function of one real runs where `condition` holds (always when empty;
/// the first that holds counts): "up" (never falls), "down" or "none" in each
/// piece between turning points, a turning point belonging to the piece on its
/// right; and the range of its values, bounds included.
class Nn_Course<list<string> Pieces, list<string> Turns, string Low,
                string High, string Condition = ""> {
  list<string> pieces = Pieces;
  list<string> turns = Turns;
  string low = Low;
  string high = High;
  string condition = Condition;
}
class Nn_Up<string Low, string High, string Condition = "">
    : Nn_Course<["up"], [], Low, High, Condition>;
class Nn_Down<string Low, string High, string Condition = "">
    : Nn_Course<["down"], [], Low, High, Condition>;
/// Falls to `Turn`, then rises.
class Nn_Valley<string Turn, string Low, string High, string Condition = "">
    : Nn_Course<["down", "up"], [Turn], Low, High, Condition>;
/// Rises to `Turn`, then falls.
class Nn_Hill<string Turn, string Low, string High, string Condition = "">
    : Nn_Course<["up", "down"], [Turn], Low, High, Condition>;

/// What a field of a block (quant/UnaryBlockBytes.h) is made of. "M" stands for
/// M / 2^S, "B" for B / 2^S without the half that rounds.
class Nn_Field<string Name, string Value> {
  string name = Name;
  string value = Value;
}

/// A kind of parameter block (quant/UnaryBlock.h) that an operator may have.
class Nn_Block<string Kind, list<Nn_Field> Fields> {
  string kind = Kind;
  list<Nn_Field> fields = Fields;
}
defvar Nn_Zeros = [Nn_Field<"z1", "z1">, Nn_Field<"z2", "z2">];
class Nn_Affine<string Slope, string Addend = "0", string Lo = "min",
                string Hi = "max">
    : Nn_Block<"Affine", [Nn_Field<"M", Slope>, Nn_Field<"B", Addend>] #
                         Nn_Zeros #
                         [Nn_Field<"lo", Lo>, Nn_Field<"hi", Hi>]>;
class Nn_TwoSlope<string Below, string Above>
    : Nn_Block<"TwoSlope",
               Nn_Zeros # [Nn_Field<"lo", "min">, Nn_Field<"hi", "max">,
                           Nn_Field<"below.M", Below>, Nn_Field<"below.B", "0">,
                           Nn_Field<"above.M", Above>,
                           Nn_Field<"above.B", "0">]>;
class Nn_ThreeStep<string Below, string At, string Above>
    : Nn_Block<"ThreeStep",
               [Nn_Field<"z1", "z1">, Nn_Field<"k-", Below>,
                Nn_Field<"k0", At>, Nn_Field<"k+", Above>]>;
class Nn_Xor<string Mask> : Nn_Block<"Xor", [Nn_Field<"mask", Mask>]>;
def Nn_Table256 : Nn_Block<"Table256", []>;
def Nn_Table : Nn_Block<"Table", []>;
defvar Nn_Tables = [Nn_Table256, Nn_Table];

/// The fields of every operator. What a family does not state itself, each of
/// its members does.
class Nn_ContractFields {
  /// Element types: `|` of the kinds of Elementwise.h, or a text.
  string elementKinds = "";
  string elements = "";
  list<Nn_Rule> sharedRules = [];
  list<Nn_Special> specials = [];
  list<Nn_Example> examples = [];
  string specialNote = "";
  /// Of functions of one real; a text for all others.
  list<Nn_Course> courses = [];
  string monotone = "";
  string range = "";
  /// Quantizations of the result: "free" (any grid, one rounding), "same" (the
  /// input's), "none" (plain numbers).
  string resultGrid = "";
  string gridNote = "";
  /// The first kind that fits is taken.
  list<Nn_Block> blocks = [];
}

#endif // TALLY_OPS_CONTRACTBASE_TD
