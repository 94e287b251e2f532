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
      "::tally::Status", "lower", (ins "::tally::cpu::KernelBuilder &":$kernel)>
  ];
}

#endif // TALLY_CPU_LOWERING_TD
