//===- Lowering.td - how an operator becomes CPU code -------*- tablegen -*-===//

#ifndef TALLY_CPU_LOWERING_TD
#define TALLY_CPU_LOWERING_TD

include "mlir/IR/OpBase.td"

def CpuLowering : OpInterface<"CpuLowering"> {
  let cppNamespace = "::tally::cpu";
  let description = [{
    Attached to nn operators from outside (tally/cpu/lower): writes the body
    of one kernel in upstream dialects.
  }];
  let methods = [
    InterfaceMethod<
      [{Emits the kernel that computes the operation's results from its
        operands. Fails with a Diagnostic when this combination of types or
        attributes has no CPU code.}],
      "::tally::Status", "lower", (ins "::tally::cpu::KernelBuilder &":$kernel)>,
    InterfaceMethod<
      [{Prepares the operation, one inside of an nn.fused, as a stage of its
        epilogue, with operand `chained` coming from the stage before. What it
        needs beside the loops (tables, records) becomes arguments of the
        kernel now. Fails where `lower` would, and for operators that do not
        compute each element alone.}],
      "::tally::Result<::tally::cpu::ElementStage>", "stage",
      (ins "::tally::cpu::KernelBuilder &":$kernel, "size_t":$chained), [{}],
      [{ return kernel.unsupported("a form inside of an epilogue"); }]>,
    InterfaceMethod<
      [{Whether `lower` writes result 0 through KernelBuilder::storeResult
        only, once per element, so that an epilogue can follow.}],
      "bool", "takesEpilogue", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      [{In which order of elements `lower` can work (Order.h). It asks the
        builder for that of each operand and of the result. Constants are in
        plain order whatever the rest is.}],
      "::tally::cpu::Orders", "orders", (ins), [{}],
      [{ return ::tally::cpu::Orders::Plain; }]>
  ];
}

#endif // TALLY_CPU_LOWERING_TD
