include "tally/ops/OpBase.td"

def Nn_FusedOp : Op<Nn_Dialect, "fused",
    [Pure, IsolatedFromAbove, SingleBlock,
     DeclareOpInterfaceMethods<Nn_Operator>]>,
    Nn_ContractFields {
  let summary = "an operator and the elementwise stages that follow it";
  let description = [{
    A chain of ordinary operators that an executor may run as one: the anchor
    makes an element, the stages finish it before it is stored.

        %y = nn.fused (%a = %x, %v = %w) : (T0, T1) -> T3 {
          %0 = nn.conv %a, %v {..} : (T0, T1) -> T2
          %1 = nn.relu %0 : (T2) -> T3
          nn.yield %1 : T3
        }

    The operands are all tensors that the chain reads from outside, constants
    included. It means exactly what its operators mean one after the other:
    every grid in between is a result type of the region, and every rounding
    happens. Nothing else is stored on the operation, so `unfuse`, which puts
    the chain back in its place, loses nothing. Its name is that of the chain's
    last tensor; the operators inside keep theirs.

    Rules:
      * FUSED-1  the region's block has one argument per operand, of its type,
                 and the chain reads each
      * FUSED-2  the first operation may anchor a chain (trait FusionAnchor),
                 and a stage follows
      * FUSED-3  every other operation is elementwise (trait ElementwiseStage)
                 or nn.reshape; the last is elementwise
      * FUSED-4  a stage reads the previous operation's result exactly once,
                 and besides only block arguments; an elementwise stage's
                 result has the shape of what it reads
      * FUSED-5  nn.yield returns the last operation's result, which has the
                 type of the operation's own
      * FUSED-6  the operation has no attributes
  }];
  let elements = "those of its operators";
  let specialNote = "those of its operators, one after the other";
  let monotone = "as its operators";
  let range = "the last operator's";
  let resultGrid = "free";
  let gridNote = "the last operator's";
  let arguments = (ins Variadic<Nn_Tensor>:$inputs);
  let results = (outs Nn_Tensor:$output);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The operations of the chain in order: the anchor, then the stages.
    ::llvm::SmallVector<::mlir::Operation *> chain();

    /// Puts the chain in the operation's place and erases the operation.
    void unfuse();
  }];
}

def Nn_YieldOp : Op<Nn_Dialect, "yield",
                    [Pure, Terminator, HasParent<"FusedOp">]> {
  let summary = "the result of an nn.fused";
  let description = [{
    Ends the region of an nn.fused and names its result.
  }];
  let arguments = (ins Nn_Tensor:$output);
  let assemblyFormat = "$output attr-dict `:` type($output)";
}
