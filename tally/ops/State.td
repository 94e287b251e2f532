//===- State.td - values that outlive a call ----------------*- tablegen -*-===//

#ifndef TALLY_OPS_STATE_TD
#define TALLY_OPS_STATE_TD

include "tally/graph/Dialect.td"
include "tally/graph/Interfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nn_StateTensor : Type<
    And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
         CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">]>,
    "static ranked tensor", "::mlir::RankedTensorType">;

def Nn_StateOp : Op<Nn_Dialect, "state",
    [Symbol, HasParent<"::mlir::ModuleOp">,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a tensor that a model keeps from call to call";
  let description = [{
    Declares a state by name. `init` is its value before the first call and
    after a reset, as nn.constant holds values; without it the caller gives one.

        nn.state @h : tensor<1x8xf32> {init = dense<0.0> : tensor<1x8xf32>}

    A function `main` reads and writes states as plain values: a read is the
    value that the state had when the call began, wherever it stands, and a
    write says what the state is once the call has succeeded. So old and new
    value are different values, and a rewrite of what lies between keeps the
    meaning without knowing about states.

    A state that is a number may say with which number a call can begin at
    `most` (and at least 0): how many rows of a cache leave room for another.

    Rules:
      * STATE-1  a read or write names an nn.state of the module
      * STATE-2  the value read or written has the state's type
      * STATE-3  a state that is read or written has exactly one write
      * STATE-4  `init` has the shape of the type and the element in which its
                 values are stored; codes lie in the range of their grid
      * STATE-11 `most` belongs to one i64 that is not negative
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<Nn_StateTensor>:$type,
                       OptionalAttr<ElementsAttr>:$init,
                       OptionalAttr<I64Attr>:$most);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType tensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

def Nn_StateReadOp : Op<Nn_Dialect, "state_read",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a state's value at the beginning of the call";
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs Nn_StateTensor:$value);
  let assemblyFormat = "$state attr-dict `:` type($value)";
}

def Nn_StateWriteOp : Op<Nn_Dialect, "state_write",
    [MemoryEffects<[MemWrite]>,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a state's value after the call";
  let arguments = (ins FlatSymbolRefAttr:$state, Nn_StateTensor:$value);
  let assemblyFormat = "$state `,` $value attr-dict `:` type($value)";
}

def Nn_ShiftInOp : Op<Nn_Dialect, "shift_in",
    [Pure, DeclareOpInterfaceMethods<Nn_Operator>]> {
  let summary = "the last of what was there, and then what enters";
  let description = [{
    Along dimension `axis`, `output` is the end of `old` and behind it all of
    `entering`; with `front`, all of `entering` and behind it the beginning of
    `old`. A rewrite makes it of slices and concatenations, for states whose
    value slides along their memory: only what enters is written.

    Rules:
      * SHIFT-1  the three have one element type and one shape but for `axis`,
                 where the output is no shorter than what enters and needs no
                 more than `old` has
  }];
  let arguments = (ins Nn_StateTensor:$old, Nn_StateTensor:$entering,
                       I64Attr:$axis, UnitAttr:$front);
  let results = (outs Nn_StateTensor:$output);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // TALLY_OPS_STATE_TD
